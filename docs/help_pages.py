"""The reference of the command line, made from what `warptune help` says: a page for each verb."""
import os
import re
import subprocess


def help_text(program, *words):
    environment = dict(os.environ, NO_COLOR="1")
    return subprocess.run([program, "help", *words], env=environment, capture_output=True, text=True, check=True).stdout


def sections(text):
    """[(heading or "", [lines])]: a heading is a line that ends in a colon and has indented lines below it."""
    found = [("", [])]
    for line in text.rstrip().split("\n"):
        heading = re.fullmatch(r"([A-Z][^:]*):", line)
        if heading:
            found.append((heading[1], []))
        elif line and not line.startswith(" ") and found[-1][0]:
            found.append(("", [line]))
        else:
            found[-1][1].append(line)
    return found


def entries(lines):
    """[(name, meaning)] of a section's lines: a name, two spaces or a new line, and a text that may go on in further lines."""
    found = []
    for line in filter(None, lines):
        if line.startswith("  ") and not line.startswith("   "):
            name, _, meaning = line.strip().partition("  ")
            found.append([name, meaning.strip()])
        else:
            found[-1][1] = f"{found[-1][1]} {line.strip()}".strip()
    return found


def cell(text):
    return text.replace("|", "\\|").replace("<", "&lt;")


def code_cell(text):
    return "`" + text.replace("|", "\\|") + "`"


def paragraphs(lines):
    """Prose, with the line of usage as code."""
    for paragraph in "\n".join(lines).strip().split("\n\n"):
        usage = paragraph.removeprefix("Usage: ")
        yield from ["```text", usage, "```", ""] if usage != paragraph else [cell(" ".join(paragraph.split("\n"))), ""]


def described(program, words, level):
    """The Markdown of a verb's help, and of the verbs below it."""
    page = [f"{'#' * level} warptune {' '.join(words)}", ""]
    for heading, lines in sections(help_text(program, *words)):
        if not heading:
            page += paragraphs(lines)
            continue
        page += [f"{'#' * (level + 1)} {heading}", ""]
        if heading == "Examples":
            page += ["```bash", *(line.removeprefix("  ") for line in lines if line), "```", ""]
            continue
        page += ["| | |", "| --- | --- |", *(f"| {code_cell(name)} | {cell(meaning)} |" for name, meaning in entries(lines)), ""]
    return page


def verb_page(program, verb):
    page = described(program, [verb], 1)
    for heading, lines in sections(help_text(program, verb)):
        for name, _ in entries(lines) if heading not in ("", "Examples") else []:
            if re.fullmatch("[a-z]+", name):  # a verb below this one, such as `history rm`
                page += described(program, [verb, name], 2)
    return "\n".join(page)


def write_help_pages(folder, program):
    """A page for each verb, and in index.md the list of them by what they are for."""
    index = [""]
    for heading, lines in sections(help_text(program)):
        verbs = [entry for entry in entries(lines) if not entry[0].startswith("-")] if heading else []
        if not verbs:
            continue
        index += [f"## {heading}", "", "| | |", "| --- | --- |"]
        index += [f"| [{verb}]({verb}.md) | {cell(about)} |" for verb, about in verbs]
        index += ["", "```{toctree}", ":hidden:", "", *(verb for verb, _ in verbs), "```", ""]
        for verb, _ in verbs:
            (folder / f"{verb}.md").write_text(verb_page(program, verb))
    with (folder / "index.md").open("a") as page:
        page.write("\n".join(index))
