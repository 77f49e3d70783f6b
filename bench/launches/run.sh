#!/usr/bin/env bash
# Launches with and without overlap, as a graph and one by one, carve-outs, and a program that launches as its exported
# header says. Usage: run.sh WARPTUNE [DEVICE]; with nvcc in the PATH the program, too.
set -euo pipefail
warptune=$(realpath "$1") device=${2:-cuda:0}
here=$(realpath "$(dirname "$0")")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
export WARPTUNE_DB=$work/store.db

one() {  # what is measured, then options of run
  local what=$1
  shift
  printf '%-28s %s\n' "$what" "$("$warptune" run "$here/steps" --device "$device" "$@" | grep -E '^(outcome|time)' | tr -s ' ' | paste -sd' ')"
}
for as in graph stream; do
  for overlap in 0 1; do one "--as $as, OVERLAP=$overlap" --as $as --param OVERLAP=$overlap; done
  "$warptune" tune "$here/steps" --device "$device" --as $as --strategy exhaustive --budget 20s >"$as.txt" 2>"$as.err" ||
    { cat "$as.err" >&2; exit 1; }
  head -12 "$as.txt"
done
command -v nvcc >/dev/null && [ "$device" != host ] || exit 0
export WARPTUNE_DB=$work/program.db
"$warptune" tune "$here/steps" --device "$device" --as stream --strategy exhaustive --budget 5s --restrict 'OVERLAP == 1' \
  --restrict 'CARVEOUT == 50' 2>/dev/null | head -2
"$warptune" export steps --format header -o steps_tuned.h 2>/dev/null
nvcc -O2 -std=c++17 -arch=native -I "$here/../../templates/include" -I "$here" -I . -o program "$here/app.cu" "$here/steps/reference.cpp"
./program
