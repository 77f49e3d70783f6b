#!/bin/sh
# The benchmark of search strategies: every strategy, the eight open spaces, 100 repeats.
#   run.sh DATA [OUTPUT] [STRATEGIES]
# DATA is a folder of recorded spaces (KERNEL/DEVICE.json.gz); OUTPUT gets compare.txt and compare.json (default: build/bench/search).
# WARPTUNE names the program (default: the release build's).
set -eu
data=${1:?usage: run.sh DATA [OUTPUT] [STRATEGIES]}
root=$(cd "$(dirname "$0")/../.." && pwd)
output=${2:-$root/build/bench/search}
strategies=${3:-all}
warptune=${WARPTUNE:-$root/build/release/warptune}
mkdir -p "$output"

compare() {
  "$warptune" compare --spaces \
    "$data/convolution/A100.json.gz" "$data/convolution/MI250X.json.gz" "$data/convolution/W6600.json.gz" \
    "$data/dedispersion/A100.json.gz" "$data/dedispersion/MI250X.json.gz" "$data/dedispersion/W6600.json.gz" \
    "$data/gemm/RTX_2080_Ti.json.gz" "$data/convolution_2021/RTX_2080_Ti.json.gz" \
    --strategies "$strategies" --repeats 100 "$@"
}

compare --format json > "$output/compare.json"
compare --format table | tee "$output/compare.txt"
