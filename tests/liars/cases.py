"""Reads the suite's cases from the .cu files beside it and writes each family as a template.

A file holds families. A family is one session: a header of keys in a comment, and kernels, each below a line that says
what it does. README.md has the format. The kernels stand in the file as they are compiled, so that a liar's few lines can be
read beside what it must get; a manifest for each would hide them."""
import ast
import re
from dataclasses import dataclass, field
from pathlib import Path

FOLDER = Path(__file__).parent
C_NAMES = {"float": "float", "double": "double", "int8": "signed char", "uint8": "unsigned char", "int16": "short",
           "uint16": "unsigned short", "int32": "int", "uint32": "unsigned", "int64": "long long",
           "uint64": "unsigned long long"}
KEYS = {"type", "size", "reference", "reference_type", "output", "role", "length", "fill", "tolerance", "launches", "options",
        "temporary", "top", "refused", "backends", "symbol", "shared"}


@dataclass
class Case:
    name: str
    sound: bool
    what: str
    wanted: set[str]
    code: str
    line: int                                        # of its code, in its family's file
    variant: int = 0
    elsewhere: dict[str, str] = field(default_factory=dict)  # device -> what else is so there, and why


@dataclass
class Family:
    name: str
    file: str
    keys: dict
    cases: list[Case] = field(default_factory=list)
    common: str = ""                                 # code above its first case

    def runs_on(self, backend: str) -> bool:
        return backend in self.keys.get("backends", [backend])


KEY = re.compile(r"^(\w+) = (.*)$", re.M)  # the value as a Python literal
HEADER = re.compile(r"/\*@ (\w+)\n(.*?)\*/\n", re.S)
CASE = re.compile(r"^//([-+]) (\w+)(?:\{(\d+)\.\.(\d+)\})?(?: \[([\w |]+)\])?: (.*)$")
ELSEWHERE = re.compile(r"^//  (host|cuda): (.*)$")


def families(files: list[Path] | None = None) -> list[Family]:
    """All families of `files`, by default of every .cu here. Throws ValueError at what it does not understand."""
    found = [family for file in files or sorted(FOLDER.glob("*.cu")) for family in read(file)]
    names = [family.name for family in found]
    for name in names:
        if names.count(name) > 1:
            raise ValueError(f"two families are called {name}")
    return found


def read(file: Path) -> list[Family]:
    text, result = file.read_text(), []
    headers = list(HEADER.finditer(text))
    for header, following in zip(headers, [*headers[1:], None]):
        keys = {key: ast.literal_eval(value) for key, value in KEY.findall(header[2])}
        if keys.keys() - KEYS:
            raise ValueError(f"{file.name}: {header[1]} has unknown keys: {', '.join(keys.keys() - KEYS)}")
        family = Family(header[1], file.name, keys)
        body = text[header.end():following.start() if following else len(text)]
        add_cases(family, body, text.count("\n", 0, header.end()) + 1)
        result.append(family)
    return result


def add_cases(family: Family, body: str, line: int) -> None:
    open_cases: list[Case] = []
    for number, text in enumerate(body.splitlines(keepends=True), line):
        if match := CASE.match(text):
            open_cases = make_cases(family, match, number + 1)
            family.cases += open_cases
        elif text.startswith(("//-", "//+")):
            raise ValueError(f"{family.file}:{number}: not a case: {text.strip()}")
        elif not open_cases:
            family.common += text
        elif match := ELSEWHERE.match(text):
            for case in open_cases:
                case.elsewhere[match[1]] = match[2]
                case.line = number + 1
        else:
            for case in open_cases:
                case.code += text
    if not family.cases:
        raise ValueError(f"{family.file}: {family.name} has no cases")


def make_cases(family: Family, match: re.Match, line: int) -> list[Case]:
    sign, name, first, last, wanted, what = match.groups()
    sound = sign == "+"
    usual = "correct" if sound else "refused" if family.keys.get("refused") else "wrong_result"
    outcomes = {part.strip() for part in (wanted or usual).split("|")}
    if sound != (outcomes == {"correct"}):
        raise ValueError(f"{family.file}:{line}: {name} is {'sound' if sound else 'a liar'} and wants {outcomes}")
    if first is None:
        return [Case(name, sound, what, outcomes, "", line)]
    return [Case(f"{name}{i}", sound, f"{what} ({i})", outcomes, "", line, i) for i in range(int(first), int(last) + 1)]


# What every kernel is called with: its input x, its output y, a temporary as long as the input, and the input's length.
PROLOGUE = """\
typedef {c} T;
#define JOIN(a, b) a##b
#define SELECT(name) JOIN(is_, name)
#define NAME(name, step) JOIN(name, step)
#define KERNEL extern "C" __global__ void CASE(T* x, T* y, unsigned* temp, int n)
#define STEP(k) extern "C" __global__ void NAME(CASE, _##k)(T* x, T* y, unsigned* temp, int n)
#define EACH for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
// Ticks since some time ago, the same for all threads; and a wait of some 20 microseconds, so that a race is lost for sure.
#ifdef WARPTUNE_HOST
__device__ inline long long now() {{ return clock64(); }}
#define LATE(condition)
#else
__device__ inline long long now() {{ long long t; asm volatile("mov.u64 %0, %globaltimer;" : "=l"(t)); return t; }}
#define LATE(condition) if (condition) for (long long start = clock64(); clock64() - start < 40000;) {{}}
#endif
"""


def source(family: Family) -> str:
    parts = [PROLOGUE.format(c=C_NAMES[family.keys.get("type", "float")])]
    parts += [f"#define is_{case.name} {i}\n" for i, case in enumerate(family.cases)]
    parts.append(family.common)
    for i, case in enumerate(family.cases):
        parts.append(f'#if SELECT(CASE) == {i}\n#define VARIANT {case.variant}\n'
                     f'#line {case.line} "{family.file}"\n{case.code}#endif\n')
    return "".join(parts)


def reference(family: Family) -> str:
    kind = family.keys.get("type", "float")
    wide = family.keys.get("reference_type", "double" if kind in ("float", "double") else kind)
    return (f'typedef {C_NAMES[kind]} T;\nextern "C" __global__ void reference(const T* x, {C_NAMES[wide]}* y, int n) {{\n'
            f'  const int i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i < n) {{ {family.keys["reference"]} }}\n}}\n')


def manifest(family: Family) -> str:
    keys = family.keys
    names = ", ".join(f'"{case.name}"' for case in family.cases)
    return f"""\
name = "{family.name}"
{keys.get("top", "")}
[sizes]
SIZE = {keys.get("size", 4096)}
[parameters.CASE]
values = [{names}]
default = "{family.cases[0].name}"
[arguments.x]
type = "{keys.get("type", "float")}"
shape = ["SIZE"]
fill = {keys.get("fill", "{ uniform = [1, 100], seed = 1 }")}
[arguments.y]
type = "{keys.get("type", "float")}"
shape = ["{keys.get("length", "SIZE")}"]
role = "{keys.get("role", "output")}"
{output_lines(keys)}
[arguments.n]
type = "int32"
value = "SIZE"
[temporaries.temp]
type = "uint32"
shape = ["SIZE"]
{keys.get("temporary", "")}
{symbol(keys)}
{"".join(launch(keys, step) for step in range(1, keys.get("launches", 1) + 1))}
[reference]
source = "reference.cu"
[[reference.launches]]
kernel = "reference"
grid = "ceildiv(SIZE, 256)"
block = 256
arguments = ["x", "y", "n"]
"""


def output_lines(keys: dict) -> str:
    lines = [keys["output"]] if "output" in keys else []
    lines += [f'reference_type = "{keys["reference_type"]}"'] if "reference_type" in keys else []
    floating = keys.get("type", "float") in ("float", "double")
    if "tolerance" in keys or floating:
        lines.append(f'tolerance = {keys.get("tolerance", "{ relative = 1e-6 }")}')
    return "\n".join(lines)


def symbol(keys: dict) -> str:
    if "symbol" not in keys:
        return ""
    return f"""[arguments.table]
type = "float"
shape = [{keys["symbol"]}]
fill = {{ constant = 1 }}
symbol = "table"
"""


def launch(keys: dict, step: int) -> str:
    suffix = f"_{step}" if keys.get("launches", 1) > 1 else ""
    shared = f'shared = "{keys["shared"]}"' if "shared" in keys else ""
    return f"""
[[launches]]
kernel = "{{CASE}}{suffix}"
grid = "ceildiv(SIZE, 256)"
block = 256
{shared}
arguments = ["x", "y", "temp", "n"]
"""


def write_template(family: Family, folder: Path) -> None:
    folder.mkdir(parents=True)
    (folder / "kernel.cu").write_text(source(family))
    (folder / "reference.cu").write_text(reference(family))
    (folder / "template.toml").write_text(manifest(family))
