"""One step of the view in Chromium: its script, and all of it until the frame is on the screen.

    python benchmarks/view.py [steps]

Traces of three sizes, each stepped through forth and back by its own keys, on a bare page. A frame
of a screen takes 16.7 ms, and a key waits half of one on average before anything can happen.
"""

import os
import shutil
import statistics
import sys
import time

from playwright.sync_api import sync_playwright

import whoholds
from whoholds.views.data import view_data
from whoholds.views.export import page as html

SIZES = 80, 210, 530  # nodes, which make about 760, 2,000 and 5,000 events
BROWSERS = "chromium", "chromium-browser", "google-chrome"
# A frame's callback comes before it is painted, a message sent from there after that.
STEP = """async key => {
  const start = performance.now();
  document.querySelector(".mg-view").dispatchEvent(new KeyboardEvent("keydown", {key}));
  const script = performance.now() - start;
  const { port1, port2 } = new MessageChannel();
  const painted = new Promise(done => { port1.onmessage = done; });
  requestAnimationFrame(() => port2.postMessage(0));
  await painted;
  return [script, performance.now() - start];
}"""


def trace_of(nodes):
    """A chain of tanh and mul on 16 floats, then its backward."""
    import minigrad as mg

    x = mg.ones(16, requires_grad=True)
    with whoholds.record() as trace:
        y = x
        for i in range(nodes - 2):
            y = y * 1.01 if i % 2 else y.tanh()
        y.sum().backward()
    return trace


def milliseconds(browser, trace, steps):
    """(script, painted) of each step, `steps` of them around the middle of the trace."""
    page = browser.new_page(viewport={"width": 1280, "height": 900})
    text = html(view_data({"": trace}))
    page.set_content(text.replace("view.render({", "window.model = model; view.render({"))
    page.wait_for_function("!!window.model")
    page.evaluate("step => model.set('step', step)", len(trace) // 2)
    keys = ["ArrowRight", "ArrowLeft"] * (steps // 2)
    found = [page.evaluate(STEP, key) for key in keys]
    page.close()
    return found


def report(trace, nodes, made, times):
    print(f"{nodes:4} nodes, {len(trace):5} events: data made in {made * 1000:4.0f} ms;", end="")
    for name, column in zip(("script", "painted"), zip(*times, strict=True), strict=True):
        low, middle, high = statistics.quantiles(column, n=4)
        print(f"  {name} {middle:5.1f} ms ({low:.1f} to {high:.1f})", end="")
    print()


def main(steps):
    executable = next(filter(None, map(shutil.which, BROWSERS)))
    flags = ["--no-sandbox"] if os.name == "posix" and os.geteuid() == 0 else []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=executable, args=flags)
        for nodes in SIZES:
            trace = trace_of(nodes)
            start = time.perf_counter()
            view_data({"": trace})
            made = time.perf_counter() - start
            report(trace, nodes, made, milliseconds(browser, trace, steps))
        browser.close()


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 60)
