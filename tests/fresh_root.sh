#!/usr/bin/env bash
# Runs the README's two commands, or others of bootstrap's, as on a machine that was just installed: a bare Debian root, no CUDA
# toolkit, no compiler, nothing that anybody installed by hand.
#
#   tests/fresh_root.sh [VERB...]     tune and test without an argument; needs root and debootstrap. "test all" is one VERB
#
# The root is made anew below $FRESH_ROOT (default /var/tmp/warptune_fresh_root, removed at the end) from the packages of this
# machine's own sources, and what is committed at HEAD is cloned into it. Prints how long each command took, and stops at the
# first that fails. If $TOOLKIT names a CUDA toolkit, it is put into the root in the end, for tests/with_toolkit.sh. Exit code 77:
# no root can be made here, and nothing was run.
#
# CI runs this. A toolkit on the developer's machine hides what is missing on others, and so does what was installed there once.
set -euo pipefail
cd "$(dirname "$(readlink -f "$0")")/.."
source=$PWD
root=${FRESH_ROOT:-/var/tmp/warptune_fresh_root}
verbs=("$@")
[ ${#verbs[@]} -gt 0 ] || verbs=(tune test)

if [ "${FRESH_ROOT_INSIDE:-}" != 1 ]; then
  [ "$(id -u)" = 0 ] || { echo "fresh_root.sh makes a root and mounts into it: run it as root" >&2; exit 77; }
  command -v debootstrap >/dev/null || { echo "fresh_root.sh needs debootstrap: apt-get install debootstrap" >&2; exit 77; }
  unshare --mount --pid --fork true || { echo "fresh_root.sh needs mounts of its own, which this machine refuses" >&2; exit 77; }
  # Mounts of a namespace of our own go with it, however this ends.
  FRESH_ROOT_INSIDE=1 exec unshare --mount --pid --fork --kill-child "$0" "${verbs[@]}"
fi

. "$source/tests/debian_root.sh"

say() { echo "fresh root: $*"; }

(make_root) || exit 77
mount -t proc proc "$root/proc"
mount --rbind /dev "$root/dev"
git clone -q --no-hardlinks "$source" "$root/warptune"
say "made after $SECONDS s"

timed() {  # command...: in the clone
  local begin=$SECONDS status=0
  enter bash -c 'cd /warptune && exec "$@"' - "$@" || status=$?
  say "$*: exit code $status after $((SECONDS - begin)) s"
  return $status
}

check() {
  local verb
  for verb in "${verbs[@]}"; do timed ./bootstrap $verb || return; done
  [ -n "${TOOLKIT:-}" ] || return 0
  mkdir -p "$root/usr/local/cuda"
  mount --bind "$(readlink -f "$TOOLKIT")" "$root/usr/local/cuda"
  timed tests/with_toolkit.sh /usr/local/cuda
}

status=0
check || status=$?
umount -R "$root/dev" "$root/proc"
mountpoint -q "$root/usr/local/cuda" && umount "$root/usr/local/cuda"
[ -n "${FRESH_ROOT_KEEP:-}" ] || rm -rf --one-file-system "$root"
exit $status
