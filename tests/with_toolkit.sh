#!/usr/bin/env bash
# What only a CUDA toolkit can show, after `./bootstrap test all` has built the tests: nvcc compiles exported headers and the headers
# for kernels, CUPTI's and the occupancy calculator's headers say what Warptune says, and the benchmark's vendor program builds.
#
#   tests/with_toolkit.sh [TOOLKIT]     default /usr/local/cuda
set -euo pipefail
cd "$(dirname "$(readlink -f "$0")")/.."
toolkit=${1:-/usr/local/cuda}
[ -x "$toolkit/bin/nvcc" ] || { echo "there is no nvcc in $toolkit/bin" >&2; exit 2; }
export CUDA_HOME=$toolkit PATH=$toolkit/bin:$PATH LIBRARY_PATH=$toolkit/lib64/stubs GTEST_BRIEF=1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

build/dev/tests/tuner/export_tests
build/dev/tests/tuner/device/backends/cuda/cuda_tests

cat >"$work/sum.cu" <<'SOURCE'
#include <warptune/device/look_back.cuh>
__global__ void k(float* x) { x[0] = warptune::device::warp_sum(x[threadIdx.x]); }
SOURCE
nvcc -arch=sm_90 -std=c++17 -Werror all-warnings -I templates/include -cubin -o "$work/sum.cubin" "$work/sum.cu"

bench/vendor/build.sh "$work/vendor"
