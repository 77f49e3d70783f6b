#!/usr/bin/env bash
# How many configurations a second are compiled, verified and measured: a matrix product at 2048³, with an empty cache of
# machine code and then again with the filled one. Builds nothing.
# Usage: run.sh WARPTUNE TEMPLATE SECONDS [DEVICES [TUNE OPTION...]]
#   WARPTUNE   the program;  TEMPLATE  xgemm beside this script, or templates/gemm;  SECONDS  of the run with the empty cache
#   THROUGHPUT_SIZE, in the environment: another size, as for a try on the host; THROUGHPUT_STRATEGY: another than random
#   DEVICES    lists separated by spaces, each a --device: "cuda:0 cuda:0,1 cuda:0,1,2,3"; default "cuda:0"
set -euo pipefail
warptune=$1 template=$2 seconds=$3 devices=${4:-cuda:0}
shift $(($# < 4 ? $# : 4))
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# Neither the driver's cache nor NVRTC's may help: there is nothing in them, and nothing stays.
export CUDA_CACHE_DISABLE=1 CUDA_CACHE_PATH=$work/driver

tune() {  # name, device, budget, options...
  local name=$1 device=$2 budget=$3
  shift 3
  "$warptune" tune "$template" --size ${THROUGHPUT_SIZE:-M=2048,N=2048,K=2048} --device "$device" --budget "$budget" --strategy "${THROUGHPUT_STRATEGY:-random}" --seed 1 \
    --db "$work/$name.db" "$@" >/dev/null 2>"$work/$name.log" || { cat "$work/$name.log" >&2; return 1; }
}

row() {  # device, cache, name
  local log=$work/$3.log trials elapsed correct own
  read -r trials elapsed < <(sed -n 's/^\([0-9]*\) trials\{0,1\} in \([0-9.]*\) s.*/\1 \2/p' "$log")
  own=$(sed -n "s/.*the program's own time was \([0-9.]*\) µs.*/\1/p" "$log")
  correct=$("$warptune" show 1 --db "$work/$3.db" --format csv | grep -c ',correct,' || true)
  awk -v d="$1" -v c="$2" -v n="$trials" -v ok="$correct" -v s="$elapsed" -v own="$own" \
    'BEGIN { printf "%-20s %-6s %8d %8d %8.1f %10.1f %12.1f %10d\n", d, c, n, ok, s, n / s, ok / s, own }'
  sed -n 's/^\([0-9]* compiled, [0-9]* from the cache\).*/                            \1/p' "$log"
}

printf '%-20s %-6s %8s %8s %8s %10s %12s %10s\n' DEVICES CACHE TRIALS CORRECT SECONDS TRIALS/S CORRECT/S OWN_US
for device in $devices; do
  name=${device//[:,]/_}
  export XDG_CACHE_HOME=$work/cache_$name
  tune "cold_$name" "$device" "${seconds}s" "$@"
  row "$device" cold "cold_$name"
  # The same configurations again, each of them in the cache.
  done_before=$(sed -n 's/^\([0-9]*\) trials\{0,1\} in.*/\1/p' "$work/cold_$name.log")
  tune "warm_$name" "$device" "$done_before" "$@"
  row "$device" warm "warm_$name"
  # What a session costs before and after its trials: one trial, with all machine code in the cache.
  begun=$(date +%s.%N)
  tune "one_$name" "$device" 1 "$@"
  echo "$begun $(date +%s.%N)" | awk -v d="$device" '{ printf "%-20s a whole session of one trial takes %.1f s\n", d, $2 - $1 }'
done
