"""`python -m course.site` makes `_site/`; `run.py site` starts it in an environment of its own."""

from __future__ import annotations

import json
import sys
from pathlib import Path

from course.site.build import ROOT, Failed, build
from course.site.door import DoorError
from course.site.notebook_page import Unlike


def main(base_url: str = "", out: str = str(ROOT / "_site")) -> int:
    print("Making the pages: it takes a minute or three.", flush=True)
    try:
        pages = build(Path(out), base_url)
    except (Failed, DoorError, Unlike) as error:
        print(error, file=sys.stderr)
        return 1
    size = sum(path.stat().st_size for path in Path(out).rglob("*") if path.is_file())
    print(f"{len(pages)} pages, {size / 1e6:.1f} MB, in {Path(out).name}/: open index.html.")
    return 0


if __name__ == "__main__":
    sys.exit(main(**json.loads(sys.argv[1]) if sys.argv[1:] else {}))
