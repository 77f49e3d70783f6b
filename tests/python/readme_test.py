"""The programs of python/README.md do what it says."""
import pathlib
import re

README = pathlib.Path(__file__).parents[2] / "python" / "README.md"


def programs():
    blocks = re.findall(r"^```python\n(.*?)^```", README.read_text(encoding="utf-8"), re.M | re.S)
    return [block for block in blocks if "warptune.tune(" in block]


def test_its_programs_tune(capsys):
    shown = programs()
    assert len(shown) >= 2
    names = {}
    for program in shown:  # on the host and for a few trials; everything else as it stands
        exec(re.sub(r'budget="\d+s"', 'budget=3, device="host", progress=False', program), names)
    printed = capsys.readouterr().out
    assert "'BLOCK'" in printed and "Winner" in printed
    assert printed.count("correct") >= 3
