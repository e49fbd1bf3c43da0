"""Where each view of a notebook stands when its cells have run, read off the page."""

import re
import shlex

OPENED = re.compile(r"^step (\d+) of (\d+): (.*)$", re.MULTILINE)
SHOWN_AT = re.compile(r'^show\(.*\bat="([^"]*)"', re.MULTILINE)
VIEW = """async index => {
  const { content } = window.jupyterapp.shell.currentWidget, cell = content.widgets[index];
  await content.scrollToItem(index, "start");
  for (let i = 0; i < 100 && !cell.node.querySelector(".mg-status")?.textContent; i++)
    await new Promise((go) => setTimeout(go, 50));
  const find = (what) => cell.node.querySelector(what), view = find(".mg-view");
  const top = find(".mg-lanes").getBoundingClientRect().top - view.getBoundingClientRect().top;
  return {
    count: find(".mg-count").textContent, status: find(".mg-status").textContent,
    error: find(".mg-error").textContent, covered: find(".mg-cover").offsetWidth > 0,
    source: find(".mg-source .now code")?.textContent ?? "", top,
  };
}"""


def views(cells):
    """(place of the cell, its options, what its text says) of each view in run cells."""
    for place, cell in enumerate(cells):
        for output in cell.get("outputs", ()):
            text = "".join(output.get("data", {}).get("text/plain", ""))
            if OPENED.search(text) and "bytes after" in text:
                first = cell["source"].partition("\n")[0]
                options = shlex.split(first) if first.startswith("%%step") else []
                if chosen := SHOWN_AT.search(cell["source"]):
                    options += ["--at", chosen[1]]
                yield place, options, text


def after(options, name):
    """What follows an option, or ""."""
    return options[options.index(name) + 1] if name in options else ""


def check_moments(page, cells):
    """Each view stands on the error, else on what its cell names, else on the peak; and says so."""
    found = list(views(cells))
    for place, options, text in found:
        seen = page.evaluate(VIEW, place)
        step, most, sentence = OPENED.search(text).groups()
        assert seen["count"].startswith(f"{step} / {most} · "), (place, seen)
        if "--hide" in options:
            assert seen["covered"], "what the reader is asked to say is not shown"
        else:
            assert seen["status"] == sentence.replace("`", "") and not seen["covered"]
        check_one(seen, options, text)
        assert seen["source"].strip()[:20] in seen["status"], "it is said which line"
    return len(found)


def check_one(seen, options, text):
    at, bytes = after(options, "--at"), seen["count"].partition(" · ")[2]
    if "--end" in options:
        assert seen["count"].split()[0] == seen["count"].split()[2]
    elif seen["error"]:
        assert "the error" in seen["status"] and seen["error"].splitlines()[0] in text
    elif at:
        line, _, words = at.partition(": ") if at.startswith("line ") else ("", "", at)
        assert seen["status"].startswith(line) and words in seen["status"]
    elif " the peak. " in seen["status"]:
        assert bytes.removesuffix(" alive") == re.search("^peak (.* B)", text, re.MULTILINE)[1]
    else:
        assert "step=" in "".join(options), "nothing else chooses a step"
