#!/usr/bin/env python3
"""Tunes the cases of cases.py on one device, measures each winner and the vendor's library in turns, with as many samples
for both, and prints the table of bench/vendor/README.md. Every finished case is a line of OUT/results.jsonl; the same command goes on with
the cases that have none yet, and trials are in OUT/bench.db.

  build.sh VENDOR; run.py WARPTUNE VENDOR [options]          VENDOR "none": winners alone
"""
import argparse
import json
import re
import sys
import time
from pathlib import Path

from bench import Bench, Missing, say
from cases import CASES, Case
from earlier import import_results
from plan import Pace, ordered, part_of
from results import TABLES, number, print_table, ratio_of, store_results, stored_results, verdict_of


def share(text: str) -> tuple[int, int]:
    """I/N of --share."""
    part, parts = map(int, text.split("/"))
    if not 1 <= part <= parts:
        raise ValueError(text)
    return part, parts


def parse_options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("warptune")
    parser.add_argument("vendor", help="what build.sh made, or none")
    parser.add_argument("--torch", default=sys.executable, metavar="PYTHON", help="a Python that has PyTorch, for its cases")
    parser.add_argument("--most-seconds", type=float, default=float("inf"), metavar="S",
                        help="of tuning, for each case; cases whose set-up takes long have a least of their own")
    parser.add_argument("--fewest-trials", type=int, default=20, metavar="N",
                        help="tune longer, seven times as long at most, where fewer were done: they tell nothing of a space")
    parser.add_argument("--only", default="", metavar="REGEX", help="cases whose name it matches")
    parser.add_argument("--device", default="cuda:0")
    parser.add_argument("--sizes", choices=["vendor", "host"], default="vendor", help="host: the templates' small presets")
    parser.add_argument("--seconds-scale", type=float, default=1, metavar="X", help="times the cases' seconds of tuning")
    parser.add_argument("--total-seconds", type=float, metavar="N", help="of tuning, for all cases still to be run")
    parser.add_argument("--stop-after", type=float, default=float("inf"), metavar="S",
                        help="begin no case that is likely to end later than that")
    parser.add_argument("--share", type=share, default=(1, 1), metavar="I/N",
                        help="the I-th of N equal parts of the cases, for machines with several GPUs; each with its own OUT")
    parser.add_argument("--also", type=Path, nargs="+", default=[], metavar="FOLDER",
                        help="cases with a result there, as OUTs of other parts, are done, too; nothing is written there")
    parser.add_argument("--begin-from", type=Path, nargs="+", default=[], metavar="FOLDER",
                        help="searches begin from the winners of the results there; only where OUT/bench.db is new")
    parser.add_argument("--known", type=Path, nargs="+", default=[], metavar="FOLDER",
                        help="cases with a result there come after those without one")
    parser.add_argument("--long-setup", type=float, default=6, metavar="S",
                        help="where the first trial came later than that, the winner is not measured again between the "
                             "vendor's figures: its time in the session's finals counts, just before them")
    parser.add_argument("--strategy", default="auto")
    parser.add_argument("--out", type=Path, default=Path("vendor-results"), metavar="FOLDER")
    parser.add_argument("--rounds", type=int, default=2, metavar="N", help="measurements of the vendor, between the winner's")
    parser.add_argument("--again", nargs="?", const="all", choices=["all", "short", "brief", "measured"],
                        help="cases that have a result, too, or those that are short of their target, or those that were tuned "
                             "for a shorter time than cases.py says: each is tuned anew, or further where OUT/bench.db has "
                             "its session; brief: for what it lacks, where the search begins from a result of this device; "
                             "measured: all, with the winners that they have")
    parser.add_argument("--collect", action="store_true",
                        help="run nothing, and put the latest result of each case, here and in --also, into OUT/results.jsonl")
    parser.add_argument("--table", nargs="?", const="all", choices=TABLES,
                        help="print the table of what there is, and run nothing; page: without configurations and clocks")
    return parser.parse_args()


def run_case(bench: Bench, case: Case, seconds: float) -> dict:
    try:
        result = bench.run(case, seconds)
    except Missing as missing:
        say(f"*** SKIPPED {case.name}: {missing}")
        return {"case": case.name, "metric": case.metric, "skipped": str(missing)}
    ratio = ratio_of(result)
    say(f"{case.name}: {number(result['winner']['value'])} of {number(result['vendor'])} {case.metric}, "
        f"ratio {f'{ratio:.3f}' if ratio else '-'}, target {case.target}: {verdict_of(result)}")
    return result


def brief(case: Case, result: dict) -> bool:
    """Was it tuned for less than cases.py says?"""
    return result["seconds"] < case.seconds


def again(which: str | None, case: Case, result: dict) -> bool:
    """Is the case to be run although it has that result?"""
    if which == "short":
        return verdict_of(result) == "short"
    if which == "brief":
        return brief(case, result)
    return which is not None


def keeps_winner(which: str | None, case: Case, result: dict) -> bool:
    """May other cases have that result's winner? "short" is of a case, and others may have the same tuning."""
    return which in (None, "measured") or which == "brief" and not brief(case, result)


def waiting_cases(options: argparse.Namespace, chosen: list[Case], done: dict[str, dict],
                  before: dict[str, float]) -> tuple[list[Case], Pace]:
    """This part's, in order. The parts must not depend on what one of them has done, so OUT's results go last."""
    def waits(case: Case, results: dict[str, dict]) -> bool:
        result = results.get(case.name, {"skipped": ""})
        if "skipped" in result:
            return True
        return again(options.again, case, result)

    elsewhere = stored_results(options.also)
    cases = [case for case in chosen if waits(case, elsewhere)]
    scale = options.seconds_scale
    left = sum(case.seconds for case in cases if waits(case, done))
    if options.total_seconds is not None and left:
        scale = options.total_seconds / left
    pace, known = Pace(scale, options.most_seconds, before), set(stored_results(options.known))
    mine = part_of(ordered(cases, known), known, options.share, pace)
    return [case for case in mine if waits(case, done)], pace


def run_all(options: argparse.Namespace, chosen: list[Case], done: dict[str, dict]) -> None:
    bench, start, left = Bench(options), time.monotonic(), []
    earlier = stored_results(options.begin_from)
    if earlier and not (options.out / "bench.db").exists():
        known = import_results(list(earlier.values()), options.warptune,
                               "cuda" if bench.on_gpu() else "host", options.out / "bench.db")
        say(f"{known} earlier session{'' if known == 1 else 's'} to begin from")
    for result in earlier.values():
        if "skipped" not in result:
            bench.begin_from(result)
    before = {case.name: bench.begun.get(bench.key(case), 0) for case in chosen} if options.again == "brief" else {}
    waiting, pace = waiting_cases(options, chosen, done, before)
    for case in CASES:
        result = done.get(case.name, {"skipped": ""})
        if "skipped" not in result:
            bench.take_over(result, keeps_winner(options.again, case, result))
    say(f"{bench.device['name']}, driver {bench.device['driver'] or '-'}, FP32 peak {number(bench.fp32_peak_gflops())} "
        f"GFLOP/s; {len(waiting)} cases, up to {sum(map(pace.tuning, waiting)):.0f} s of tuning")
    if options.vendor != "none" and any(case.vendor.startswith("torch_") for case in waiting):
        bench.prepare_torch()
    for case in waiting:
        begin, tuned = time.monotonic(), bench.key(case) in bench.tuned
        if begin - start + pace.expected(case, tuned) > options.stop_after:
            left.append(case.name)
            continue
        done[case.name] = run_case(bench, case, pace.tuning(case))
        pace.took(case, tuned, time.monotonic() - begin)
        with open(options.out / "results.jsonl", "a", encoding="utf-8") as lines:
            print(json.dumps(done[case.name]), file=lines)
    if left:
        say(f"{len(left)} cases are left, from {left[0]} on: {options.stop_after:.0f} s would not do; the same command goes on")


def main() -> int:
    options = parse_options()
    options.out.mkdir(parents=True, exist_ok=True)
    chosen = [case for case in CASES if re.search(options.only, case.name)]
    done = stored_results([*options.also, options.out])
    if not chosen:
        say(f"no case matches '{options.only}'; there are: {', '.join(case.name for case in CASES)}")
        return 2
    if options.collect:
        store_results(options.out, [done[case.name] for case in CASES if case.name in done])
    elif not options.table:
        try:
            run_all(options, chosen, done)
        except Missing as missing:
            say(f"error: {missing}")
            return 1
    results = [done[case.name] for case in chosen if case.name in done]
    print_table(results, options.table or "all")
    return 3 if any("skipped" in result for result in results) else 0


if __name__ == "__main__":
    sys.exit(main())
