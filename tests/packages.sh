#!/usr/bin/env bash
# Installs each package in an empty Debian root, as its users would, and uses it there: tunes on the processor, exports, and builds
# a program against it.
#
#   tests/packages.sh [FOLDER]     the packages of FOLDER, default build/release/packages (`./bootstrap package` makes them)
#
# Needs root and debootstrap. One root is made below $PACKAGES_ROOT (default /var/tmp/warptune_packages, removed at the end) and
# copied for each package, so that neither sees what the other installed. Prints what was done, and how long it took.
set -euo pipefail
cd "$(dirname "$(readlink -f "$0")")/.."
source=$PWD
folder=$(readlink -f "${1:-build/release/packages}")
base=${PACKAGES_ROOT:-/var/tmp/warptune_packages}

if [ "${PACKAGES_INSIDE:-}" != 1 ]; then
  [ "$(id -u)" = 0 ] || { echo "packages.sh makes a root and mounts into it: run it as root" >&2; exit 2; }
  command -v debootstrap >/dev/null || { echo "packages.sh needs debootstrap: apt-get install debootstrap" >&2; exit 2; }
  PACKAGES_INSIDE=1 exec unshare --mount --pid --fork --kill-child "$0" "$folder"
fi

one() {  # pattern: the newest file of that name in the folder
  local file
  file=$(ls -t "$folder"/$1 2>/dev/null | head -1) || true
  [ -n "$file" ] || { echo "packages.sh finds no $1 in $folder: ./bootstrap package makes it" >&2; exit 2; }
  echo "$file"
}
program=$(one 'warptune_*.deb')
libraries=$(one 'libwarptune-dev_*.deb')
archive=$(one 'warptune-*.tar.gz')

# What programs are built with beside the packages; and what the archive's program needs of a system.
tools="cmake g++ make"
dependencies="libboost-context-dev libfmt-dev libsqlite3-dev libsqlitecpp-dev nlohmann-json3-dev zlib1g-dev"

. "$source/tests/debian_root.sh"

check() {  # the rest, once warptune is in PATH of $root
  enter bash -euc '
    mkdir -p /tmp/elsewhere && cd /tmp/elsewhere
    warptune --version
    warptune doctor
    warptune tune vector_add --device host --budget 5s
    warptune export vector_add --output /tmp/elsewhere/vector_add_tuned.h
    grep -q "struct" vector_add_tuned.h
    echo "#include \"vector_add_tuned.h\"
int main() {}" >use.cpp
    g++ -std=c++17 -Wall -Werror use.cpp -o use && ./use
    warptune report vector_add --output report.html
    grep -q vegaEmbed report.html && grep -q "Interactive Data Lab" report.html'
  cp -r "$source/tests/package/consumer" "$root/tmp/consumer"
  enter bash -euc '
    cd /tmp
    cmake -S consumer -B build -DCMAKE_PREFIX_PATH="$PREFIX" >/dev/null
    cmake --build build
    cd build && ./consumer && ./from_wisdom'
}

step() { printf '\n== %s (%s s)\n' "$*" "$SECONDS"; }

step "an empty root"
root=$base/empty
make_root
root_of() {
  root=$base/$1
  cp -a "$base/empty" "$root"
  mount -t proc proc "$root/proc"
  mount --rbind /dev "$root/dev"
}
leave() { umount -R "$root/dev" "$root/proc"; }
failed=0

step "$(basename "$program"), $(basename "$libraries")"
(
  root_of deb
  cp "$program" "$libraries" "$root/tmp/"
  enter apt-get update -q >/dev/null
  enter env DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends "/tmp/$(basename "$program")" >/dev/null
  enter warptune --version
  # Without a compiler nothing can be tuned here, and that is what the doctor must say.
  status=0
  enter warptune doctor >/tmp/packages.doctor 2>&1 || status=$?
  [ "$status" = 4 ] && grep -q 'apt-get install g++' /tmp/packages.doctor || { cat /tmp/packages.doctor; exit 1; }
  enter env DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends $tools "/tmp/$(basename "$libraries")" >/dev/null
  PREFIX="" check
  enter dpkg --verify warptune libwarptune-dev
  enter apt-get remove -y -q warptune libwarptune-dev >/dev/null
  enter bash -c '! ls -d /usr/share/warptune* /usr/include/warptune* /usr/lib/warptune* /usr/bin/warptune 2>/dev/null'
  leave
) || failed=1

step "$(basename "$archive")"
(
  root_of archive
  cp "$archive" "$root/tmp/"
  enter apt-get update -q >/dev/null
  enter env DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends $tools $dependencies >/dev/null
  enter bash -euc 'mkdir -p /srv/tools && tar xzf /tmp/warptune-*.tar.gz -C /srv/tools --strip-components=1
    ln -s /srv/tools/bin/warptune /usr/local/bin/warptune'
  PREFIX=/srv/tools check
  leave
) || failed=1

step "$([ $failed = 0 ] && echo "both packages tune, export and are built against" || echo "FAILED")"
[ -n "${PACKAGES_KEEP:-}" ] || rm -rf --one-file-system "$base"
exit $failed
