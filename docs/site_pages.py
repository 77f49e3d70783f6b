"""What Sphinx reads: this folder's pages with included ones in place, and those that are made from the program, the templates and the
public headers. Links in an included page are made to lead where they led from its own folder."""
import os
import pathlib
import re
import shutil

import markdown
import notebooks
from api_pages import write_api_pages
from help_pages import write_help_pages
from included_pages import INCLUDED

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent
INCLUDE = "{include}"


def included_file(page, block):
    """The tree's file that a fence includes into a page of this folder, relative to the tree; None for any other fence."""
    if not (block.fence or "").startswith(INCLUDE):
        return None
    return os.path.relpath((page.parent / block.fence[len(INCLUDE):].strip()).resolve(), ROOT)


def places():
    """Where each Markdown file of the tree is on the site: path in the tree -> path among the pages."""
    found = {}
    for page in sorted(HERE.rglob("*.md")):
        name = page.relative_to(HERE).as_posix()
        found[f"docs/{name}"] = name
        for block in markdown.blocks(page.read_text()):
            file = included_file(page, block)
            if file:
                found[file] = name
    found |= {file: f"{name}.md" for name, (_, file) in INCLUDED.items()}
    for readme in sorted(ROOT.glob("templates/*/README.md")):
        found.setdefault(readme.relative_to(ROOT).as_posix(), f"templates/{readme.parent.name}.md")
    return found


class Links:
    """Rewrites the links of a file of the tree for the page on which it stands."""

    def __init__(self, where, output):
        self.where, self.output = where, output

    def page_of(self, file, target):
        """The site's page for a target, as a link from `file`'s page; None if the site has none."""
        path, _, heading = target.partition("#")
        for folder in (os.path.dirname(file), ""):
            named = os.path.normpath(os.path.join(folder, path))
            if (ROOT / named).is_dir():
                named = os.path.join(named, "README.md")
            if named in self.where:
                page = os.path.relpath(self.where[named], os.path.dirname(self.where[file]) or ".")
                return page + (f"#{heading}" if heading else "")
        return None

    def copied(self, file, target):
        """A link to a copy of a file that is no page, such as a header: the site has no other place to send readers to."""
        source = (ROOT / os.path.dirname(file) / target).resolve()
        if not source.is_file():
            return None
        name = os.path.join("files", os.path.relpath(source, ROOT) + (".txt" if source.suffix in {".md", ""} else ""))
        (self.output / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(source, self.output / name)
        return os.path.relpath(name, os.path.dirname(self.where[file]) or ".")

    def rewritten(self, file, text):
        def replace(match):
            if match["code"]:
                code = match["code"].strip("`")
                page = self.page_of(file, code) if re.fullmatch(r"[\w./-]+\.md", code) else None
                return f"[{match['code']}]({page})" if page and page != os.path.basename(self.where[file]) else match[0]
            target = match["target"]
            if re.match(r"[a-z]+:|#", target):
                return match[0]
            place = self.page_of(file, target) or self.copied(file, target)
            return f"[{match['text']}]({place})" if place else match[0]  # a dead one, of which Sphinx tells

        parts = markdown.blocks(text)
        for part in parts:
            if part.fence is None and part.lines:
                part.lines = markdown.CODE_OR_LINK.sub(replace, part.text).split("\n")
        return markdown.joined(parts)


def without_title(text):
    return re.sub(r"\A(?:\s*\n)*# [^\n]*\n", "", text)


def whole_page(page, links):
    """A page of this folder with all that it includes."""
    name = page.relative_to(HERE).as_posix()
    text = []
    for block in markdown.blocks(page.read_text()):
        file = included_file(page, block)
        if file:
            text.append(without_title(links.rewritten(file, (ROOT / file).read_text())))
        elif block.fence is None:
            text.append(links.rewritten(f"docs/{name}", block.text))
        else:
            text += [block.opening, *block.lines, block.closing]
    return "\n".join(text)


def write_template_pages(folder, links):
    """A page for each template that index.md does not hold itself, and their list for the navigation."""
    names = sorted(manifest.parent.name for manifest in ROOT.glob("templates/*/template.toml"))
    for name in names:
        file = f"templates/{name}/README.md"
        (folder / f"{name}.md").write_text(links.rewritten(file, (ROOT / file).read_text()))
    with (folder / "index.md").open("a") as index:
        index.write("\n```{toctree}\n:hidden:\n\n" + "\n".join(names) + "\n```\n")


def write(output, program, xml_folder, package=None):
    """Writes all sources of the site into the folder `output`, anew. Notebooks are run with the Python package in the folder `package`;
    without one, their cells stand alone."""
    shutil.rmtree(output, ignore_errors=True)
    links = Links(places(), output)
    for page in sorted(HERE.rglob("*.md")):
        target = output / page.relative_to(HERE)
        target.parent.mkdir(parents=True, exist_ok=True)
        text = whole_page(page, links)
        target.write_text(notebooks.with_outputs(text, package) if package and notebooks.is_notebook(text) else text)
    for name, (title, file) in INCLUDED.items():
        target = output / f"{name}.md"
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(f"# {title}\n{without_title(links.rewritten(file, (ROOT / file).read_text()))}")
    shutil.copyfile(HERE / "conf.py", output / "conf.py")
    write_template_pages(output / "templates", links)
    write_help_pages(output / "reference/verbs", program)
    write_api_pages(output / "reference/api", xml_folder)
