#!/usr/bin/env python3
"""Doxygen's view of a header: the tree's plain comments as Doxygen's. Usage: api_comments.py HEADER, as an INPUT_FILTER.

What stands above a declaration, or behind a member, describes it; what a file begins with is on its page already (api_pages.py). So
headers need no markup of a tool's own."""
import re
import sys


def escaped(text):
    """A comment's text without what Doxygen would obey; code in backticks stays as it is."""
    parts = re.split(r"(`[^`]*`)", text)
    return "".join(part if index % 2 else re.sub(r"([\\@<>#%\"*&])", r"\\\1", part) for index, part in enumerate(parts))


def documented(comments):
    """Lines of a comment, as Doxygen's; lines indented by two or more are code."""
    lines, code = [], False
    for text in comments:
        indented = text.startswith("   ") or (code and not text.strip())
        if indented != code:
            lines.append("/// \\endcode" if code else "/// \\code{.unparsed}")
            code = indented
        lines.append("///" + (text[2:] if code else escaped(text)))
    return lines + (["/// \\endcode"] if code else [])


def filtered(text):
    result, comments, head = [], [], True
    for line in text.split("\n"):
        whole = re.match(r"\s*//(.*)$", line)
        if whole:
            comments.append(whole[1])
            continue
        if comments:
            result += [] if head else documented(comments)
            comments = []
        if line.strip():
            head = False
        behind = re.match(r"(.*\S)  // (.*)$", line)
        if behind:
            opens = behind[1].endswith("{") or behind[2].startswith("NOLINT")
            line = behind[1] if opens else f"{behind[1]}  ///< {escaped(behind[2])}"
        result.append(line.replace("__extension__ ", ""))
    return "\n".join(result)


if __name__ == "__main__":
    sys.stdout.write(filtered(open(sys.argv[1], encoding="utf-8").read()))
