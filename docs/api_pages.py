"""The reference of the C++ API: a page for each public header, with what its first comment says and what it declares."""
import pathlib
import re
import xml.etree.ElementTree

ROOT = pathlib.Path(__file__).resolve().parent.parent


def header_groups():
    """[(what the headers are for, [(source in the tree, public name)])] as tuner/package/headers.cmake lists them."""
    listed = (ROOT / "tuner/package/headers.cmake").read_text().split("set(WARPTUNE_PUBLIC_HEADERS", 1)[1].split(")", 1)[0]
    groups = []
    for line in listed.strip().split("\n"):
        line = line.strip()
        if line.startswith("#"):
            groups.append((line.strip("# ."), []))
        else:
            groups[-1][1].append(tuple(line.split()))
    return groups


def introduction(source):
    """A header's first comment as Markdown: what is indented is code."""
    lines, code = [], False
    for line in source.split("\n"):
        if not line.startswith("//"):
            break
        text = line[2:].removeprefix(" ")
        indented = text.startswith("  ") or (code and not text)
        if indented != code:
            lines += ["```"] if code else ([""] if lines and lines[-1] else []) + ["```cpp"]
            code = indented
        lines.append(text[2:] if code else text)
    return "\n".join(lines + (["```"] if code else []))


class Declarations:
    """What Doxygen found in each header, as Breathe's directives."""

    def __init__(self, xml_folder):
        self.found = {}
        for file in sorted(pathlib.Path(xml_folder).glob("*.xml")):
            for compound in xml.etree.ElementTree.parse(file).getroot().iter("compounddef"):
                if compound.get("kind") in ("class", "struct"):
                    self.add_class(compound)
                elif compound.get("kind") == "namespace":
                    for member in compound.iter("memberdef"):
                        self.add_member(compound.findtext("compoundname"), member)

    def add(self, place, directive, name, members=False):
        header = place.get("file").split("warptune/", 1)[1]
        text = f".. doxygen{directive}:: {name}\n" + ("   :members:\n   :undoc-members:\n" if members else "")
        self.found.setdefault(header, []).append((int(place.get("line")), text))

    def add_class(self, compound):
        name = compound.findtext("compoundname")
        nested = re.match(r"(.*)::[^:<]+(<.*>)?$", name)
        # A nested class stands with the class that holds it; a specialisation says nothing of its own.
        if nested and nested[1].split("::")[-1][:1].islower() and "<" not in name:
            self.add(compound.find("location"), compound.get("kind"), name, members=True)

    def add_member(self, namespace, member):
        kind, name = member.get("kind"), f"{namespace}::{member.findtext('name')}"
        if kind == "function":
            if "friend" in member.findtext("definition"):
                return
            name += re.sub(r"=[^,()]*(\{\})?(?=[,)])", "", member.findtext("argsstring"))
        if kind in ("function", "enum", "typedef", "variable"):
            self.add(member.find("location"), kind, name)

    def of(self, header):
        return "\n".join(text for _, text in sorted(self.found.get(header, [])))


def write_api_pages(folder, xml_folder):
    """A page for each header, and in index.md the list of them by what they are for."""
    declarations = Declarations(xml_folder)
    with (folder / "index.md").open("a") as index:
        for title, headers in header_groups():
            index.write(f"\n## {title}\n\n```{{toctree}}\n:maxdepth: 1\n\n")
            for source, header in headers:
                page = header.replace("/", "_").removesuffix(".h")
                text = introduction((ROOT / source).read_text())
                declared = f"\n```{{eval-rst}}\n{declarations.of(header)}```\n" if declarations.of(header) else ""
                (folder / f"{page}.md").write_text(f"# `<warptune/{header}>`\n\n{text}\n{declared}")
                index.write(f"<warptune/{header}> <{page}>\n")
            index.write("```\n")
