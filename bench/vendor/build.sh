#!/bin/sh
# Builds the vendor program: build.sh OUTPUT [ARCHITECTURE]   (default sm_90; needs the CUDA toolkit and cuDNN)
set -eu
output=${1:?usage: build.sh OUTPUT [ARCHITECTURE]}
here=$(cd "$(dirname "$0")" && pwd)
templates=$here/../../templates
exec nvcc -O3 -std=c++17 -arch="${2:-sm_90}" -o "$output" "$here"/*.cu \
  "$templates/spmv/fill.cpp" "$templates/segmented_scan/fill.cpp" -lcublas -lcublasLt -lcusparse -lcudnn
