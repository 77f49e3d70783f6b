"""Results of cases as run.py keeps them, a JSON object a line, and the tables made of them."""
import json
from pathlib import Path


def stored_results(folders: list[Path]) -> dict[str, dict]:
    """By case, of results.jsonl in all folders: the latest one counts, and one at all before one that was skipped."""
    found: dict[str, dict] = {}
    for folder in folders:
        file = folder / "results.jsonl"
        for result in map(json.loads, file.read_text(encoding="utf-8").splitlines() if file.exists() else []):
            if result["case"] not in found or result.get("at", "") >= found[result["case"]].get("at", ""):
                found[result["case"]] = result
    return found


def store_results(folder: Path, results: list[dict]) -> None:
    """Instead of what is there."""
    lines = "".join(json.dumps(result) + "\n" for result in results)
    (folder / "results.jsonl").write_text(lines, encoding="utf-8")


def ratio_of(result: dict) -> float | None:
    return result["winner"]["value"] / result["vendor"] if result.get("vendor") else None


def verdict_of(result: dict) -> str:
    ratio = ratio_of(result)
    if ratio is None or result["target"] is None:
        return "-"
    return "ok" if ratio >= result["target"] else "short"


def number(value: float | None) -> str:
    if value is None:
        return "-"
    return f"{value:,.0f}" if value >= 1000 else f"{value:.4g}"


def sensed(figure: dict | None) -> str:
    if not figure or "clock_mhz" not in figure:
        return "-"
    return f"{figure['clock_mhz']:.0f} MHz {figure['power_w']:.0f} W"


def row_of_all(result: dict) -> list[str]:
    name = f"{result['case']}, {result['metric']}"
    if "skipped" in result:
        return [name, f"SKIPPED: {result['skipped']}"] + [""] * 8
    winner, ratio, target = result["winner"], ratio_of(result), result["target"]
    last = {side: ones[-1] if ones else None for side, ones in result["rounds"].items()}
    note = (last["vendor"] or {}).get("note", "-")
    vendor = f"{number(result['vendor'])} ({result['vendor_case']}{'' if note == '-' else ', ' + note})"
    return [name, number(winner["value"]), vendor if result["vendor"] else "-", f"{ratio:.3f}" if ratio else "-",
            f"{target:.2f}" if target else "-", verdict_of(result), str(winner["trials"]), sensed(last["winner"]),
            sensed(last["vendor"]), f"`{winner['template']}` {winner['configuration']}"]


LIBRARIES = {"cublas_": "cuBLAS", "cublaslt_": "cuBLASLt", "cub_": "CUB", "cusparse_": "cuSPARSE", "cudnn_": "cuDNN",
             "copy_": "copy", "empty_kernel_": "launch", "read_": "read", "meet_": "meeting", "fp32 peak": "peak"}


def library_of(result: dict) -> str:
    """For PyTorch its fastest way, too."""
    case = result["vendor_case"]
    if case.startswith("torch_"):
        note = (result["rounds"]["vendor"][-1] or {}).get("note", "")
        return f"PyTorch, {note.split(':')[0].replace('_', ' ')}"
    return next(library for prefix, library in LIBRARIES.items() if case.startswith(prefix))


def row_of_page(result: dict) -> list[str]:
    name = f"{result['case']}, {result['metric']}"
    if "skipped" in result:
        return [name, "SKIPPED"] + [""] * 6
    winner, ratio, target = result["winner"], ratio_of(result), result["target"]
    verdict = {"ok": "met", "short": "**short**", "-": ""}[verdict_of(result)]
    vendor = f"{number(result['vendor'])} ({library_of(result)})" if result["vendor"] else ""
    return [name, number(winner["value"]), vendor, f"{ratio:.3f}" if ratio else "", f"{target:.2f}" if target else "",
            verdict, f"{result['seconds']:.0f}", f"{winner['trials']:,}"]


# By name: columns, how they are aligned, and what makes a row.
TABLES = {
    "all": (["case", "winner", "vendor, same run", "ratio", "target", "", "trials", "winner at", "vendor at",
             "configuration"], "-rrrr-r---", row_of_all),
    "page": (["case", "winner", "vendor, as many samples", "ratio", "target", "", "seconds", "trials"], "-rrrr-rr",
             row_of_page),
}


def print_table(results: list[dict], kind: str = "all") -> None:
    columns, aligned, row_of = TABLES[kind]
    print("| " + " | ".join(columns) + " |")
    print("| " + " | ".join("---:" if side == "r" else "---" for side in aligned) + " |")
    for result in results:
        print("| " + " | ".join(row_of(result)) + " |")
    verdicts = [verdict_of(result) if "skipped" not in result else "skipped" for result in results]
    print(f"\n{verdicts.count('ok')} ok, {verdicts.count('short')} short, {verdicts.count('-')} without a target or a vendor, "
          f"{verdicts.count('skipped')} SKIPPED")
