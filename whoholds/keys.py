"""What each widget's script begins with: how it shares the keys with JupyterLab."""

from pathlib import Path

SCRIPT = Path(__file__).with_suffix(".js").read_text("utf-8")
