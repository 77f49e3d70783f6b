#!/bin/sh
# Builds the benchmark, runs it and Kernel Tuner on the same search spaces, and prints one table.
#
#   bench/space/run.sh FOLDER      the folder with the search spaces (*.json); or set WARPTUNE_SPACES
set -eu

WARPTUNE_SPACES=$(realpath "${1:-${WARPTUNE_SPACES:?usage: run.sh FOLDER}}")
export WARPTUNE_SPACES
cd "$(dirname "$0")/../.."
build=build/bench

[ -f $build/build.ninja ] || cmake --preset bench >&2
cmake --build --preset bench --target space_bench space_dump >&2
$build/bench/space/space_bench --benchmark_repetitions=10 --benchmark_min_time=0.05 \
  --benchmark_out=$build/space_bench.json --benchmark_out_format=json >&2
python3 bench/space/peer.py --spaces "$WARPTUNE_SPACES" --bench $build/space_bench.json \
  --dump $build/bench/space/space_dump --venv $build/peer-venv
