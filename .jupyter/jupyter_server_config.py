"""What JSON cannot say: where custom.css lies, for JupyterLab looks only in the home folder."""

from pathlib import Path

c = get_config()  # noqa: F821
c.LabApp.custom_css = True
c.ServerApp.tornado_settings = {"static_custom_path": [str(Path(__file__).parent / "custom")]}
