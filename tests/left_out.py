"""What a run did not prove at all: files, and tests with many cases, of which all were skipped."""

from collections import defaultdict

DONE = "passed", "failed", "error", "xfailed", "xpassed"


def lines(stats):
    """One sentence each; `stats` is what pytest's terminal counts: {outcome: reports}."""
    skipped = defaultdict(dict)  # {file or test: {nodeid: reason}}
    for report in stats.get("skipped", []):
        for part in parts(report.nodeid):
            skipped[part][report.nodeid] = reason(report)
    done = {
        part for kind in DONE for report in stats.get(kind, []) for part in parts(named(report))
    }
    hidden = sorted(part for part in skipped if part not in done)
    for part in hidden:
        if part.partition("::")[0] == part or (
            len(skipped[part]) > 1 and part.partition("::")[0] not in hidden
        ):
            yield f"{part}: {said(skipped[part])}"


def named(report):
    """A report's place; a warning or a plugin's own entry has none."""
    return getattr(report, "nodeid", None) or ""


def parts(nodeid):
    """The file, and the test without its case in brackets."""
    file, _, test = nodeid.partition("::")
    return [file, f"{file}::{test.partition('[')[0]}"] if test else [file]


def reason(report):
    text = report.longrepr[2] if isinstance(report.longrepr, tuple) else str(report.longrepr)
    return text.removeprefix("Skipped: ")


def said(reasons):
    return "; ".join(dict.fromkeys(reasons.values()))
