#!/usr/bin/env bash
# Runs a test program as on a machine that has a driver and no CUDA toolkit, which is what cloud images are:
#
#   tests/without_toolkit.sh CUDA_ROOT PROGRAM [ARGUMENTS...]
#
# The toolkit's usual folders are masked in a mount namespace of the program's own, LD_LIBRARY_PATH is unset, and CUDA_HOME is
# CUDA_ROOT, a folder made of PyPI's packages (./bootstrap nvrtc makes .deps/cuda). Exit code 77: nothing can be masked here.
set -euo pipefail
root=$(readlink -f "$1")
shift
[ -e "$root/lib/libnvrtc.so.13" ] || { echo "no NVRTC in $root/lib" >&2; exit 2; }
if [ "${WITHOUT_TOOLKIT_INSIDE:-}" != 1 ]; then
  unshare --mount true 2>/dev/null && namespace=(unshare --mount) || namespace=(unshare --user --map-root-user --mount)
  "${namespace[@]}" true 2>/dev/null || { echo "SKIPPED: this machine allows no mount namespace" >&2; exit 77; }
  WITHOUT_TOOLKIT_INSIDE=1 exec "${namespace[@]}" "$0" "$root" "$@"
fi
for folder in /usr/local/cuda* /opt/cuda /usr/lib/cuda; do
  # A link leads to a folder that is masked by its own name.
  if [ -d "$folder" ] && [ ! -L "$folder" ]; then mount -t tmpfs -o size=4k tmpfs "$folder"; fi
done
unset LD_LIBRARY_PATH CUDA_PATH
export CUDA_HOME=$root
exec "$@"
