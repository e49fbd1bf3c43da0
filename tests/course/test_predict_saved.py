"""What the server saves: a widget only where nothing else would be shown, and no widget state."""

import copy

import pytest

from course.predict.saved import WIDGET, without_widgets

VIEW = {"model_id": "a"}


def notebook(*data):
    outputs = [dict(output_type="display_data", data=dict(one), metadata={}) for one in data]
    outputs.append(dict(output_type="stream", name="stdout", text="plain"))
    cells = [
        dict(cell_type="markdown", source=""),
        dict(cell_type="code", source="", outputs=outputs),
    ]
    metadata = dict(widgets={"state": {}}, kernelspec={"name": "python3"})
    return dict(type="notebook", content=dict(cells=cells, metadata=metadata))


def kinds(model):
    return [set(output.get("data", ())) for output in model["content"]["cells"][1]["outputs"]]


@pytest.mark.parametrize("kind", ["text/html", "image/png", "image/svg+xml"])
def test_a_widget_goes_where_something_stands_in(kind):
    model = notebook({WIDGET: VIEW, kind: "x", "text/plain": "x"})
    without_widgets(model, path="a.ipynb", contents_manager=None)
    assert kinds(model) == [{kind, "text/plain"}, set()]


def test_a_widget_without_a_stand_in_stays():
    model = notebook({WIDGET: VIEW, "text/plain": "IntSlider()"})
    without_widgets(model)
    assert kinds(model)[0] == {WIDGET, "text/plain"}


def test_the_state_of_widgets_is_not_saved():
    model = notebook()
    without_widgets(model)
    assert model["content"]["metadata"] == {"kernelspec": {"name": "python3"}}


@pytest.mark.parametrize(
    "model",
    [
        dict(type="file", content="text"),
        dict(type="notebook", content=None),
        dict(type="notebook", content={}),
        dict(type="directory", content=[]),
    ],
)
def test_what_is_no_notebook_stays_as_it_is(model):
    before = copy.deepcopy(model)
    without_widgets(model)
    assert model == before
