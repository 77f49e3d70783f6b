"""Markdown as far as the site and its tests need it: fences, headings with their anchors, links. Not a parser of all Markdown: the
tree's pages are plain, and a page that this misreads is one that people misread too."""
import re

FENCE = re.compile(r"^( *)(`{3,}|~{3,}) *(.*?) *$")
# Code within a line, or a link: [text](target); what stands in code is no link. Both may go over the end of a line.
CODE_OR_LINK = re.compile(r"(?P<code>(?P<ticks>`+)(?:(?!\n\n).)+?(?P=ticks))|\[(?P<text>(?:[^\[\]]|\[[^\]]*\])*)\]\((?P<target>[^()\s]+)\)",
                          re.S)


class Block:
    """Consecutive lines: a fence's content (`fence` is what stands behind its ticks), or text between fences (`fence` is None)."""

    def __init__(self, fence, line, lines, opening="", closing=""):
        self.fence, self.line, self.lines, self.opening, self.closing = fence, line, lines, opening, closing

    @property
    def text(self):
        return "\n".join(self.lines)


def blocks(text):
    """A page's text and fences in their order. `line` counts from 1 and is the first line of a text, the opening of a fence."""
    found, current, ticks = [], Block(None, 1, []), ""
    for number, line in enumerate(text.split("\n"), 1):
        mark = FENCE.match(line)
        if ticks and mark and mark[2].startswith(ticks) and not mark[3]:
            current.closing, ticks = line, ""
            found.append(current)
            current = Block(None, number + 1, [])
        elif not ticks and mark:
            found.append(current)
            current, ticks = Block(mark[3], number, [], line), mark[2]
        else:
            current.lines.append(line)
    return found + [current]


def joined(parts):
    """The page that blocks() took apart."""
    lines = []
    for part in parts:
        lines += part.lines if part.fence is None else [part.opening, *part.lines, part.closing]
    return "\n".join(lines)


def anchor(heading):
    """The anchor of a heading as GitHub and MyST make it."""
    plain = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).replace("`", "")
    return re.sub(r"[^\w\- ]", "", plain.strip().lower()).replace(" ", "-")


def anchors(text):
    """All anchors of a page; of equal headings the later ones are numbered."""
    seen, found = {}, set()
    for block in blocks(text):
        for line in block.lines if block.fence is None else []:
            heading = re.match(r"#{1,6} +(.*?) *#*$", line)
            if heading:
                name = anchor(heading[1])
                found.add(f"{name}-{seen[name]}" if name in seen else name)
                seen[name] = seen.get(name, 0) + 1
    return found


def links(text):
    """(line, target) of every link that is not in code."""
    for block in blocks(text):
        if block.fence is None:
            for match in CODE_OR_LINK.finditer(block.text):
                if match["target"]:
                    yield block.line + block.text.count("\n", 0, match.start()), match["target"]


def mentions(text):
    """(line, code) of every piece of code within a line."""
    for block in blocks(text):
        if block.fence is None:
            for match in CODE_OR_LINK.finditer(block.text):
                for code in re.findall(r"`([^`]+)`", match[0] if match["code"] else match["text"]):
                    yield block.line + block.text.count("\n", 0, match.start()), code
