#!/usr/bin/env bash
# The A/A experiment: one configuration under 20 names is tuned REPEATS times, each time in a store of its own; counts the
# sessions whose finals call all of them a tie. Fails below 95 %.
# Usage: run.sh WARPTUNE TEMPLATE [DEVICE [REPEATS [OPTIONS OF tune...]]]
set -euo pipefail
warptune=$1 template=$2 device=${3:-cuda:0} repeats=${4:-40}
shift $(($# < 4 ? $# : 4))
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 "$(dirname "$0")/pin.py" "$template" "$work/template" 20

for ((i = 1; i <= repeats; ++i)); do
  "$warptune" tune "$work/template" --device "$device" --strategy exhaustive --seed "$i" --db "$work/$i.db" "$@" >/dev/null 2>"$work/log" ||
    { cat "$work/log" >&2; exit 1; }
done
python3 - "$work" "$repeats" <<'PYTHON'
import sqlite3, sys
work, repeats = sys.argv[1], int(sys.argv[2])
ties, separated, candidates, spread = 0, 0, [], []
for i in range(1, repeats + 1):
    rows = sqlite3.connect(f"{work}/{i}.db").execute("SELECT tied, objective FROM finalist_list").fetchall()
    if not rows:
        sys.exit(f"session {i} held no finals")
    candidates.append(len(rows))
    times = [objective for _, objective in rows]
    spread.append(max(times) / min(times) - 1)
    ties += all(tied for tied, _ in rows)
    separated += sum(not tied for tied, _ in rows)
print(f"{ties} of {repeats} sessions tie ({100 * ties / repeats:.1f} %); {separated} of {sum(candidates)} candidates set apart; "
      f"candidates {min(candidates)} to {max(candidates)}; times in a session differ by {100 * max(spread):.2f} % at most")
sys.exit(ties < 0.95 * repeats)
PYTHON
