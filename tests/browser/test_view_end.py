"""The end of a program that failed, on a bare page: its error is still to be read."""

from tests.browser.test_lab import assert_clean
from tests.browser.test_view import open_view
from whoholds.step.magic import step


def test_the_last_step_shows_the_error_that_ended_the_program(visit):
    start = "import torch\nw = torch.ones(4, requires_grad=True)\ny = w.exp().sum()\ny.backward()\n"
    page = open_view(visit, {"": step(start + "y.backward()\n")})
    page.locator(".mg-view").focus()
    page.keyboard.press("End")
    assert page.locator(".mg-status").text_content().startswith("line 5: ")
    assert "Trying to backward" in page.locator(".mg-error").text_content()
    page.keyboard.press("Home")
    assert page.locator(".mg-error").text_content() == ""
    page = open_view(visit, {"": step(start + "try: y.backward()\nexcept: y = w * 2\n")})
    page.locator(".mg-view").focus()
    page.keyboard.press("End")
    assert page.locator(".mg-error").text_content() == ""
    assert_clean(visit)
