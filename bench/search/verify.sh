#!/bin/sh
# Verifies our scorer against the published tool on the same runs: verify.sh DATA [BUILD]
# DATA is a folder of recorded spaces; BUILD a build folder with WARPTUNE_BENCH=ON, where the Python environment goes too.
set -eu
data=${1:?usage: verify.sh DATA [BUILD]}
root=$(cd "$(dirname "$0")/../.." && pwd)
build=${2:-$root/build/bench}
environment=$build/verify/environment
if [ ! -x "$environment/bin/python" ]; then
  python3 -m venv "$environment"
  "$environment/bin/pip" install --quiet kernel-tuner==1.5.0 autotuning-methodology==1.1.0
fi
exec nice -n 19 "$environment/bin/python" "$root/bench/search/verify.py" "$data" "$build/bench/search/score_runs" \
  "$build/verify"
