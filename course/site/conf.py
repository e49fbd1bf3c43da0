"""How Sphinx makes the pages: nothing is executed, and nothing comes from another host."""

import os

project = "minigrad"
author = "the minigrad authors"
copyright = author
html_title = "minigrad: which is freed, which is not?"
extensions = ["myst_nb"]
exclude_patterns: list = []
nb_execution_mode = "off"
nb_merge_streams = True
nb_render_markdown_format = "myst"
myst_heading_anchors = 3
smartquotes = False  # a message is quoted to the letter
html_theme = "furo"
templates_path = ["_templates"]
html_static_path = ["_own"]
html_css_files = ["minigrad.css"]
html_js_files = [("minigrad.js", {"defer": "defer"})]
html_extra_path = ["_extra"]
html_copy_source = False
html_show_sourcelink = False
html_show_sphinx = False
html_baseurl = os.environ.get("MINIGRAD_BASE_URL", "")
language = "en"
# A notebook's output is HTML already; headings of lessons begin where their authors began them.
suppress_warnings = ["myst.header", "mystnb.unknown_mime_type"]
