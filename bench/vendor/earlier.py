"""Earlier results as sessions that `--transfer auto` begins from. A result has two configurations: the winner and, with
less to say, the default."""
import functools
import json
from pathlib import Path

from bench import Missing, call

# Of the winner's time, for results that do not have the default's: a guess.
DEFAULT_TIMES_SLOWER = 2.5


@functools.cache
def template_of(name: str, warptune: str) -> dict | None:
    """What `warptune templates NAME` says; nothing, if there is none of that name any more."""
    try:
        return json.loads(call([warptune, "templates", name, "--format", "json"]).stdout)["template"]
    except Missing:
        return None


def value(text: str):
    if text in ("true", "false"):
        return text == "true"
    try:
        return int(text)
    except ValueError:
        return text


def values(text: str) -> dict:
    return {name: value(word) for name, _, word in (part.partition("=") for part in text.split(",") if part)}


def problem_of(words: list[str], template: dict) -> tuple[dict, dict]:
    """Sizes and variants, of the options in a result."""
    sizes, variants = dict(template["sizes"]), {each["variant"]: each["values"][0] for each in template["variants"]}
    for option, text in zip(words[::2], words[1::2]):
        given = template["presets"][text] if option == "--preset" else values(text)
        for name, each in given.items():
            (sizes if name in sizes else variants)[name] = each
    return sizes, variants


def trial(configuration: dict, ms: float, at: str) -> dict:
    return {"configuration": configuration, "outcome": "correct", "objectives": [ms], "metrics": {}, "message": "",
            "phases_ms": {"compile": 0, "verify": 0, "measure": 0, "framework": 0}, "device_uuid": "",
            "recorded_at": at,
            "measurement": {"median_ms": ms, "relative_error": 0.01, "cut_short": False, "discarded_samples": 0,
                            "samples_ms": [ms]}}


def session(result: dict, winner: dict, template: dict, backend: str) -> dict | None:
    """Nothing, if the template has lost a parameter since. One that is newer than the result has its default."""
    default = {each["parameter"]: each["default"] for each in template["parameters"]}
    won = values(winner["configuration"])
    if not won.keys() <= default.keys():
        return None
    won = default | won
    trials = [trial(won, winner["ms"], result["at"])]
    if default != won:
        default_ms = winner.get("default_ms") or DEFAULT_TIMES_SLOWER * winner["ms"]
        trials.append(trial(default, default_ms, result["at"]))
    sizes, variants = problem_of(result["problem"].split(), template)
    device = {"backend": backend, "name": result["device"], "architecture": "", "driver": result["driver"] or "", "memory_gib": 0,
              "multiprocessors": 0, "limits": {}}
    return {"key": {"kernel": winner["template"], "device": device, "compiler": "", "source_hash": "0" * 32,
                    "manifest_hash": "0" * 32, "options": "", "problem_size": sizes, "variants": variants, "policy": "",
                    "capture": "", "restrictions": []},
            "strategy": "auto", "seed": "0", "objective": "time", "space_size": "0", "state": "finished", "origin": "",
            "manifest": "", "capture_file": "", "tool_version": "", "started_at": result["at"],
            "updated_at": result["at"], "store": "0" * 32, "trials": trials, "checks": []}


def sessions_of(results: list[dict], warptune: str, backend: str) -> list[dict]:
    """One for each template that was tuned for a result, and none where it took another one's winner."""
    sessions = []
    for result in results:
        if "skipped" in result or result["tuned_for"] != result["case"]:
            continue
        for winner in result["winners"]:
            template = template_of(winner["template"], warptune)
            made = session(result, winner, template, backend) if template else None
            sessions += [made] if made else []
    return sessions


def import_results(results: list[dict], warptune: str, backend: str, store: Path) -> int:
    """They are of devices of that backend. How many sessions the store then has of them. Throws Missing."""
    sessions = sessions_of(results, warptune, backend)
    file = store.with_name("earlier.json")
    file.write_text(json.dumps({"schema": "warptune-sessions/2", "sessions": sessions}), encoding="utf-8")
    call([warptune, "import", str(file), "--db", str(store)])
    return len(sessions)
