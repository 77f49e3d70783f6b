#!/usr/bin/env python3
"""No Markdown page of the tree has a dead link: files, folders and headings that links name are there, and so are the pages that a
text names as `folder/README.md`. Usage: links_test.py SOURCE_FOLDER

Without Sphinx and without a network: whether addresses elsewhere answer is asked by the target docs-linkcheck."""
import pathlib
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "docs"))
import built_links  # noqa: E402
import markdown  # noqa: E402


def pages(root):
    """The pages that git has, or will have; in an archive without git, those outside build folders."""
    listed = subprocess.run(["git", "-C", root, "ls-files", "-co", "--exclude-standard", "*.md"], capture_output=True, text=True)
    if listed.returncode == 0:
        return sorted(root / name for name in listed.stdout.split("\n") if name and (root / name).is_file())
    return sorted(page for page in root.rglob("*.md") if not {"build", ".deps"} & set(page.relative_to(root).parts))


def anchors(page):
    """Of a page and, on the site, of the pages that it includes."""
    text = page.read_text()
    included = [block.fence.removeprefix("{include}").strip() for block in markdown.blocks(text) if (block.fence or "").startswith("{include}")]
    return markdown.anchors(text).union(*(anchors(page.parent / file) for file in included))


def dead_link(root, page, target):
    """Why a link leads nowhere; None if it is good."""
    if re.match(r"[a-z]+:", target):
        return None
    path, _, heading = target.partition("#")
    file = (page.parent / path).resolve() if path else page
    if not file.exists():
        return "there is no such file"
    if not file.is_relative_to(root):
        return "that is outside the tree"
    if heading and file.is_dir():
        file /= "README.md"
    if heading and heading not in anchors(file):
        return f"{file.relative_to(root)} has no such heading"
    return None


def dead_mention(root, page, code):
    """Why a page that is named in a text is not there; None if it is, or if the code names no page of the tree."""
    # Any other name is a file of the reader's own.
    if not re.fullmatch(r"[\w.-]+(/[\w.-]+)+\.md|[A-Z]+\.md", code):
        return None
    return None if any((folder / code).exists() for folder in (root, page.parent)) else "there is no such page"


def faults_of(root, page):
    text = page.read_text()
    found = [(line, target, dead_link(root, page, target)) for line, target in markdown.links(text)]
    found += [(line, code, dead_mention(root, page, code)) for line, code in markdown.mentions(text)]
    return [f"{page.relative_to(root)}:{line}: {what}: {why}" for line, what, why in found if why]


def finds_what_is_dead(root):
    """The checker itself: a check that finds nothing proves nothing."""
    page = root / "README.md"
    dead = ["nothing.md", "templates/MANIFEST.md#nothing", "#nothing", "../outside.md"]
    good = ["templates/MANIFEST.md", "templates/", "templates/README.md#parameter-names", "https://nothing.invalid"]
    wrong = [target for target in dead if not dead_link(root, page, target)] + [target for target in good if dead_link(root, page, target)]
    text = "[a](x.md) `[b](y.md)`\n```\n[c](z.md)\n```\n[d\ne](w.md#f)\n"
    if list(markdown.links(text)) != [(1, "x.md"), (5, "w.md#f")]:
        wrong.append("links in and beside code")
    if markdown.anchors("# `[sizes]`, and more: a\n## Twice\n## Twice\n```\n# no\n```") != {"sizes-and-more-a", "twice", "twice-1"}:
        wrong.append("anchors")
    if not dead_mention(root, page, "templates/NOTHING.md") or dead_mention(root, page, "templates/MANIFEST.md"):
        wrong.append("mentions")
    with tempfile.TemporaryDirectory() as folder:
        built = pathlib.Path(folder)
        (built / "a.html").write_text('<p id="here"><a href="#here"></a><a href="#no"></a><a href="b.html#x"></a><a href="c.html"></a>')
        (built / "b.html").write_text('<p id="x">')
        if built_links.dead_links(built) != ["a.html: #no", "a.html: c.html"]:
            wrong.append("the finished site")
    return [f"the checker judges {what} wrongly" for what in wrong]


def main():
    root = pathlib.Path(sys.argv[1]).resolve()
    found = pages(root)
    faults = finds_what_is_dead(root) + [fault for page in found for fault in faults_of(root, page)]
    if len(found) < 50:
        faults.append(f"only {len(found)} pages found")
    print("\n".join(faults) or f"{len(found)} pages without a dead link")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
