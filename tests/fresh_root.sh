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

suite=$(. /etc/os-release && echo "$VERSION_CODENAME")
mirror=$(cat /etc/apt/sources.list.d/*.sources /etc/apt/sources.list /etc/apt/sources.list.d/*.list 2>/dev/null |
  sed -nE 's/^URIs: *([^ ]+).*/\1/p; s/^deb +(\[[^]]*\] +)?([^ ]+).*/\2/p' | head -1) || true
[ -n "$mirror" ] || { echo "fresh_root.sh found no Debian mirror under /etc/apt" >&2; exit 2; }

make_root() {
  rm -rf "$root"
  debootstrap --variant=minbase --include=git,ca-certificates "$suite" "$root" "$mirror" >"$root.log" 2>&1 ||
    { tail "$root.log"; exit 1; }
  # The same sources, certificates and names of hosts as here; nothing that is installed here.
  rm -f "$root/etc/apt/sources.list"
  cp -r /etc/apt/sources.list.d /etc/apt/apt.conf.d "$root/etc/apt/"
  [ ! -f /etc/apt/sources.list ] || cp /etc/apt/sources.list "$root/etc/apt/"
  rm -f "$root"/etc/apt/apt.conf.d/docker*
  mkdir -p "$root/usr/local/share/ca-certificates"
  cp -rL --remove-destination /etc/ssl/certs/. "$root/etc/ssl/certs/"
  for file in /etc/resolv.conf /etc/hosts /etc/pip.conf; do [ ! -f "$file" ] || cp -L "$file" "$root$file"; done
}

enter() {  # command...: in the root, with nothing of this machine's environment but how to reach the network
  local kept=() name
  for name in http_proxy https_proxy no_proxy HTTP_PROXY HTTPS_PROXY NO_PROXY PIP_INDEX_URL PIP_CERT SSL_CERT_FILE WARPTUNE_JOBS; do
    [ -z "${!name:-}" ] || kept+=("$name=${!name}")
  done
  env -i HOME=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin LANG=C.UTF-8 CI="${CI:-}" "${kept[@]}" chroot "$root" "$@"
}

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
