"""Sphinx's settings; build.py runs it on a copy of this folder that has the included and generated pages in place."""
import os

project = "Warptune"
author = "the Warptune developers"
copyright = author
release = os.environ.get("WARPTUNE_DOCS_VERSION", "")

extensions = ["myst_parser", "breathe"]
source_suffix = {".md": "markdown"}
myst_heading_anchors = 4
breathe_projects = {"warptune": os.environ.get("WARPTUNE_DOCS_XML", "")}
breathe_default_project = "warptune"
breathe_show_include = False
primary_domain = "cpp"
highlight_language = "none"
smartquotes = False

html_theme = "furo"
html_title = f"Warptune {release}"
html_copy_source = False
html_show_sphinx = False

# Addresses that need a browser or refuse robots.
linkcheck_ignore = [r"https?://(localhost|127\.0\.0\.1)"]
linkcheck_timeout = 20
