"""docs/for_torch.md: its programs run with nothing but a copied file, and print what it says."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs/for_torch.md").read_text("utf-8")
PROGRAM = "\n".join(re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL))
BYTES, TABLE = re.findall(r"```text\n(.*?)```", PAGE, re.DOTALL)
FIGURES = [
    float(said) for said in re.findall(r"^print\(wrong.*\)  # (?:about )?([\d.e-]+)", PAGE, re.M)
]


@pytest.fixture(scope="module")
def printed(tmp_path_factory):
    pytest.importorskip("torch", reason="PyTorch is not installed")
    folder = tmp_path_factory.mktemp("project")
    for name in "reversible.py", "fits.py":
        shutil.copy(ROOT / "for_torch" / name, folder)
    (folder / "train.py").write_text(PROGRAM, "utf-8")
    command = [sys.executable, "train.py"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_what_is_saved_is_what_the_page_says(printed):
    assert printed.startswith(BYTES)


def test_how_far_rounding_goes_is_of_the_order_that_the_page_says(printed):
    small, large, none = map(float, printed.removeprefix(BYTES).splitlines()[:3])
    assert FIGURES[0] / 30 < small < FIGURES[0] * 30
    assert FIGURES[1] / 30 < large < FIGURES[1] * 30
    assert none == FIGURES[2] == 0


def test_the_table_is_what_the_page_says(printed):
    assert printed.endswith(TABLE)
