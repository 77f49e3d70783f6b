#!/usr/bin/env bash
# Runs the README's two commands as on a machine that was just installed: a bare Debian root, no CUDA toolkit, no compiler.
#
#   tests/fresh_root.sh [tune] [test]     both without an argument; needs root and debootstrap
#
# The root is made anew below $FRESH_ROOT (default /var/tmp/warptune_fresh_root, removed at the end) from the packages of this
# machine's own sources, and what is committed at HEAD is cloned into it. Prints how long each command took. Run it after every
# change to what is installed or opened at run time: a toolkit on the developer's machine hides what is missing on others.
set -euo pipefail
cd "$(dirname "$(readlink -f "$0")")/.."
source=$PWD
root=${FRESH_ROOT:-/var/tmp/warptune_fresh_root}
verbs=("$@")
[ ${#verbs[@]} -gt 0 ] || verbs=(tune test)

if [ "${FRESH_ROOT_INSIDE:-}" != 1 ]; then
  [ "$(id -u)" = 0 ] || { echo "fresh_root.sh makes a root and mounts into it: run it as root" >&2; exit 2; }
  command -v debootstrap >/dev/null || { echo "fresh_root.sh needs debootstrap: apt-get install debootstrap" >&2; exit 2; }
  # Mounts of a namespace of our own go with it, however this ends.
  FRESH_ROOT_INSIDE=1 exec unshare --mount --pid --fork --kill-child "$0" "${verbs[@]}"
fi

. "$source/tests/debian_root.sh"

make_root
mount -t proc proc "$root/proc"
mount --rbind /dev "$root/dev"
git clone -q --no-hardlinks "$source" "$root/warptune"

failed=0
for verb in "${verbs[@]}"; do
  begin=$SECONDS
  status=0
  enter bash -c "cd /warptune && ./bootstrap $verb" || status=$?
  echo "fresh root: ./bootstrap $verb: exit code $status after $((SECONDS - begin)) s"
  [ "$status" = 0 ] || failed=1
done
umount -R "$root/dev" "$root/proc"
[ -n "${FRESH_ROOT_KEEP:-}" ] || rm -rf --one-file-system "$root"
exit $failed
