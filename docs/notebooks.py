"""Pages that are notebooks: they begin with a comment that says so, and their Python fences are the cells. nbclient runs these in order
when the site is built; what a cell shows stands below it. A page whose cells fail fails the build."""
import os
import tempfile

import markdown

MARK = "<!-- notebook -->"
TIMEOUT_S = 300  # of one cell


def is_notebook(text):
    return text.lstrip().startswith(MARK)


def outputs_of(cells, package):
    """For each source of a cell what Jupyter kept of it. `package` is the folder that holds the Python package `warptune`."""
    import nbclient
    import nbformat

    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(source) for source in cells])
    with tempfile.TemporaryDirectory() as folder:  # which cells write to, and where their store and their cache are
        environment = dict(os.environ, PYTHONPATH=str(package), XDG_CACHE_HOME=f"{folder}/.cache", WARPTUNE_DB=f"{folder}/.warptune.db",
                           CUDA_VISIBLE_DEVICES="", HOME=folder, PYDEVD_DISABLE_FILE_VALIDATION="1")
        client = nbclient.NotebookClient(notebook, timeout=TIMEOUT_S, resources={"metadata": {"path": folder}})
        client.execute(env=environment)
    return [cell.outputs for cell in notebook.cells]


def shown(output):
    """An output as Markdown: HTML where the cell's value has it, else text."""
    if output.output_type == "stream":
        return ["```text", *output.text.rstrip("\n").split("\n"), "```"]
    data = output.data
    if "text/html" in data:
        return ["```{raw} html", '<div style="overflow-x: auto">', *data["text/html"].split("\n"), "</div>", "```"]
    return ["```text", *data["text/plain"].split("\n"), "```"]


def with_outputs(text, package):
    """The page with what its cells show."""
    parts = markdown.blocks(text)
    cells = [part for part in parts if part.fence == "python"]
    result = {id(cell): outputs for cell, outputs in zip(cells, outputs_of([cell.text for cell in cells], package))}
    page = []
    for part in parts:
        page.append(part)
        page += [markdown.Block(None, part.line, ["", *shown(output)]) for output in result.get(id(part), [])]
    return markdown.joined(page)
