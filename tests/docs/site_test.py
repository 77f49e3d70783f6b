#!/usr/bin/env python3
"""How the site's pages are made, without Sphinx: links of included pages, help texts, comments of headers. Usage: site_test.py SOURCE_FOLDER"""
import pathlib
import sys
import tempfile
import unittest
from types import SimpleNamespace
from unittest import mock

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "docs"))
import api_comments  # noqa: E402
import api_pages  # noqa: E402
import help_pages  # noqa: E402
import notebooks  # noqa: E402
import site_pages  # noqa: E402

HELP = """Do a thing.

Usage: warptune thing [NAME] [OPTIONS]

Results:
  list  Show the things

Limits:
  --most N            how many; 0: all [3]
  --as long|longer|longest
                      how long, <N>
                      each

[ ] shows the default.

Examples:
  # one thing
  warptune thing one
"""
HEADER = """// What the file is for:
//
//   thing(1);
#pragma once

// How many; `x < y` is code, and a < b is escaped.
//   thing(2);
int thing(int n);  // at least one
struct S {  // opens
"""


class Site(unittest.TestCase):
    def test_helps_lines_are_put_together(self):
        found = dict(help_pages.sections(HELP))
        self.assertEqual(help_pages.entries(found["Limits"]),
                         [["--most N", "how many; 0: all [3]"], ["--as long|longer|longest", "how long, <N> each"]])
        self.assertEqual(help_pages.entries(found["Results"]), [["list", "Show the things"]])
        self.assertEqual([line for line in found["Examples"] if line], ["  # one thing", "  warptune thing one"])
        self.assertIn("warptune thing [NAME] [OPTIONS]", list(help_pages.paragraphs(help_pages.sections(HELP)[0][1])))

    def test_what_a_notebooks_cells_show_stands_below_them(self):
        kept = {"a = 1": [], "a": [SimpleNamespace(output_type="execute_result", data={"text/html": "<b>1</b>", "text/plain": "1"})],
                "print(a)": [SimpleNamespace(output_type="stream", text="1\n")]}
        page = "<!-- notebook -->\n\n# A page\n" + "".join(f"\n```python\n{cell}\n```\n" for cell in kept) + "\n```console\n$ a\n```\n"
        self.assertTrue(notebooks.is_notebook(page))
        with mock.patch.object(notebooks, "outputs_of", lambda cells, package: [kept[cell] for cell in cells]):
            lines = [line for line in notebooks.with_outputs(page, "package").split("\n") if line]
        self.assertEqual(lines[2:], ["```python", "a = 1", "```", "```python", "a", "```", "```{raw} html", '<div style="overflow-x: auto">',
                                     "<b>1</b>", "</div>", "```", "```python", "print(a)", "```", "```text", "1", "```", "```console", "$ a",
                                     "```"])

    def test_comments_describe_what_they_stand_at(self):
        text = api_comments.filtered(HEADER)
        self.assertNotIn("What the file is for", text)
        self.assertIn("/// How many; `x < y` is code, and a \\< b is escaped.", text)
        self.assertIn("/// \\code{.unparsed}\n/// thing(2);\n/// \\endcode\nint thing(int n);  ///< at least one", text)
        self.assertIn("struct S {\n", text)
        self.assertEqual(api_pages.introduction(HEADER), "What the file is for:\n\n```cpp\nthing(1);\n```")

    def test_every_public_header_is_in_a_group(self):
        groups = api_pages.header_groups()
        names = [name for _, headers in groups for _, name in headers]
        self.assertIn("tuner.h", names)
        self.assertEqual(len(names), len(set(names)))
        for _, headers in groups:
            for source, _ in headers:
                self.assertTrue((site_pages.ROOT / source).is_file(), source)

    def test_links_of_included_pages_lead_where_they_led(self):
        with tempfile.TemporaryDirectory() as folder:
            links = site_pages.Links(site_pages.places(), pathlib.Path(folder))
            manifest = "templates/MANIFEST.md"
            self.assertEqual(links.rewritten(manifest, "[a](README.md#words) [b](#c) [d](https://e.f)"),
                             "[a](../templates/index.md#words) [b](#c) [d](https://e.f)")
            self.assertEqual(links.rewritten(manifest, "see `tuner/results/report/README.md`"), "see [`tuner/results/report/README.md`](json.md)")
            self.assertEqual(links.rewritten(manifest, "[s](manifest.schema.json)"), "[s](../files/templates/manifest.schema.json)")
            self.assertTrue((pathlib.Path(folder) / "files/templates/manifest.schema.json").is_file())
            self.assertEqual(links.rewritten(manifest, "```\n[x](README.md)\n```\n`[y](README.md)`"), "```\n[x](README.md)\n```\n`[y](README.md)`")


unittest.main(argv=sys.argv[:1])
