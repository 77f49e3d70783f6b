#!/usr/bin/env python3
"""Every file that a comment of the code or a page names is there: beside the file that names it, in its room, or from the top
of the tree. A path is words with a slash and a known ending. Each source file of the engine begins with a comment, which says
what the file is for. Usage: paths_test.py SOURCE_FOLDER"""
import pathlib
import re
import subprocess
import sys

root = pathlib.Path(sys.argv[1]).resolve()
COMMENT = re.compile(r"(?:^|\s)(?://|#)(?!include)(.*)")
CODE_IN_PROSE = re.compile(r"`[^`]+`")
PATH = re.compile(r"(?<![\w./<$}*{~-])((?:\.\./)*[a-z]\w*(?:/[\w.-]+)+\.(?:h|cpp|cu|cuh|cmake|md|py|sh|sql|html|js))\b(?![/*])")
# Names in examples, of systems and of other projects.
ELSEWHERE = ("build/", "common/", "cub/", "hip/", "include/", "layer/", "lib/", "linux/", "saxpy/", "share/", "src/", "tuning/")
# What a program includes as <warptune/...>.
PUBLIC = set(re.findall(r"^    \S+ (\S+\.h)", (root / "tuner/package/headers.cmake").read_text(), re.M))


def is_there(path, file):
    above = [parent for parent in file.parents if root in parent.parents]
    folders = [*above, root, root / "tuner", root / "templates", root / "templates/include"]
    return path in PUBLIC or any((folder / path).exists() for folder in folders)


faults, named = [], 0
files = subprocess.run(["git", "ls-files", "*.h", "*.cpp", "*.cu", "*.cuh", "*.cmake", "*CMakeLists.txt", "*.py", "*.sh", "*.md"],
                       cwd=root, capture_output=True, text=True, check=True).stdout.split()
for name in files:
    file = root / name
    engine = name.startswith(("search/", "db/", "tuner/")) and file.suffix in (".h", ".cpp")
    if engine and not file.read_text(errors="replace").startswith("//"):
        faults.append(f"{name}:1: no comment says what the file is for")
    for number, line in enumerate(file.read_text(errors="replace").splitlines(), 1):
        said = CODE_IN_PROSE.findall(line) if file.suffix == ".md" else COMMENT.findall(line)
        for path in PATH.findall(" ".join(said)):
            named += 1
            if not path.startswith(ELSEWHERE) and not is_there(path, file):
                faults.append(f"{name}:{number}: {path} is not there")
print("\n".join(faults) or f"{named} paths, all there")
sys.exit(bool(faults) or named < 50)
