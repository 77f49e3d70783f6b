#!/usr/bin/env bash
# Whether a winner's time repeats: tunes, then measures the winner's configuration in a second session with a store of its own,
# and prints both sessions' times, those of their finals: a winner's own trial was chosen for being fast. Fails if they
# differ by more than 1 %.
# Usage: repeat.sh WARPTUNE TEMPLATE [DEVICE [BUDGET [SIZE]]]
set -euo pipefail
warptune=$1 template=$2 device=${3:-cuda:0} budget=${4:-20s} size=${5:-}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
options=(--device "$device" ${size:+--size "$size"})

"$warptune" tune "$template" "${options[@]}" --budget "$budget" --db "$work/first.db" >/dev/null
readarray -t winner < <(python3 - "$work/first.db" <<'PYTHON'
import json, sqlite3, sys
(configuration,) = sqlite3.connect(sys.argv[1]).execute("SELECT configuration FROM winner_list").fetchone()
for name, value in json.loads(configuration).items():
    print(f"{name}={value}")
PYTHON
)
python3 "$(dirname "$0")/pin.py" "$template" "$work/template" 2 "${winner[@]}"
"$warptune" tune "$work/template" "${options[@]}" --strategy exhaustive --db "$work/second.db" >/dev/null
python3 - "$work/first.db" "$work/second.db" "${winner[*]}" <<'PYTHON'
import sqlite3, sys
query = "SELECT objective FROM finalist_list WHERE position = 0"
first, second = (sqlite3.connect(file).execute(query).fetchone()[0] for file in sys.argv[1:3])
difference = second / first - 1
print(f"{sys.argv[3]}\nfirst session {first:.6g} ms, second {second:.6g} ms: {100 * difference:+.2f} %")
sys.exit(abs(difference) > 0.01)
PYTHON
