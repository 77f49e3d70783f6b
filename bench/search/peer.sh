#!/bin/sh
# Runs Kernel Tuner's strategies on the eight recorded spaces and scores them with our scorer:
#   peer.sh DATA [BUILD] [OPTIONS of peer.py]
# DATA is a folder of recorded spaces; BUILD a build folder with WARPTUNE_BENCH=ON, where the Python environment goes too.
set -eu
data=${1:?usage: peer.sh DATA [BUILD] [OPTIONS of peer.py]}
root=$(cd "$(dirname "$0")/../.." && pwd)
build=${2:-$root/build/bench}
shift $(($# > 1 ? 2 : 1))
environment=$build/verify/environment
if [ ! -x "$environment/bin/python" ]; then
  python3 -m venv "$environment"
  "$environment/bin/pip" install --quiet kernel-tuner==1.5.0 autotuning-methodology==1.1.0
fi
exec nice -n 19 "$environment/bin/python" "$root/bench/search/peer.py" "$data" "$build/bench/search/score_runs" \
  "$build/peer" "$@"
