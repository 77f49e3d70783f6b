#!/usr/bin/env bash
# Tunes gemm 4096³, transpose 16384² and reduction 2^28 on the first GPU and prints each winner beside the vendor's figure of
# the same run. Usage: run.sh WARPTUNE VENDOR [SECONDS_GEMM [SECONDS_OTHERS [STRATEGY]]]
#   WARPTUNE  the program;  VENDOR  vendor.cu built with: nvcc -O3 -std=c++17 -arch=native vendor.cu -lcublas
set -euo pipefail
warptune=$1 vendor=$2 gemm_seconds=${3:-240} other_seconds=${4:-30} strategy=${5:-local_search}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export CUDA_CACHE_DISABLE=1  # the driver's own cache must not flatter anything

tune() {  # name, metric, options...
  local name=$1 metric=$2
  shift 2
  "$warptune" tune "$@" --strategy "$strategy" --db "$work/bench.db" --format csv >"$work/$name.csv" 2> >(tee "$work/$name.log" >&2)
  python3 - "$work/$name.csv" "$metric" <<'PYTHON'
import csv, sys
print(float(next(csv.DictReader(open(sys.argv[1])))[sys.argv[2]]))
PYTHON
}

"$warptune" devices | head -5
"$vendor" | tee "$work/vendor.txt"
gemm=$(tune gemm GFLOP/s gemm --preset large --budget "${gemm_seconds}s")
transpose=$(tune transpose GB/s transpose --preset large --budget "${other_seconds}s")
reduction=$(tune reduction GB/s reduction --preset large --budget "${other_seconds}s")
"$vendor" | tee "$work/vendor_after.txt"

"$warptune" best --db "$work/bench.db"
python3 - "$work/vendor.txt" "$work/vendor_after.txt" "$gemm" "$transpose" "$reduction" <<'PYTHON'
import sys
def read(path):
    return {name: float(value) for name, value, _ in (line.split() for line in open(path))}
before, after = read(sys.argv[1]), read(sys.argv[2])
rows = [("gemm 4096", "cublas_sgemm_4096", 0.6), ("transpose 16384", "copy_268435456", 0.9), ("reduction 2^28", "cub_reduce_268435456", 0.9)]
print(f"{'kernel':16} {'warptune':>10} {'vendor':>10} {'ratio':>6} {'needed':>6}")
for (name, vendor, needed), value in zip(rows, map(float, sys.argv[3:])):
    best = max(before[vendor], after[vendor])
    print(f"{name:16} {value:10.1f} {best:10.1f} {value / best:6.3f} {needed:6.2f}")
PYTHON
