#!/usr/bin/env bash
# The system's C++ compiler under the name `c++`, for tests: it remembers what it has compiled. Each test is a process with an
# empty cache of its own, and hundreds of them compile the same few kernels for the host backend, first of all Warptune's own.
# CMake copies this script into the build, and tests have its folder first in PATH (tests/CMakeLists.txt).
#
# An object is remembered under all that it is made of: the compiler, the options but those that name files, and the source. What
# includes more than the system's headers is always compiled, and so is what has debugging information, which names folders.
# Rejected: ccache, which gives the makefile rule of the first compile, with its folders, to all others.
set -u
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# The next c++ in PATH: one before this folder may be a test's own, which calls this script.
case :$PATH: in *:"$here":*) PATH=:$PATH: && PATH=${PATH#*:"$here":} && PATH=${PATH%:} ;; esac
export PATH

object='' rule='' assembled='' source=${*: -1} key=() folders=() asked=0
previous=''
for argument in "$@"; do
  case $previous in
    -o) object=$argument previous='' && continue ;;
    -MF) rule=$argument previous='' && continue ;;
    -Xassembler)
      [ "$argument" = --MD ] || assembled=$argument
      previous='' && continue ;;
  esac
  previous=$argument
  case $argument in
    -c) asked=1 ;;
    -g* | -include | -I | -isystem | @*) exec c++ "$@" ;;
    -I*) folders+=("${argument#-I}") ;;
    -ffile-prefix-map=*) ;;
    "$source") ;;
    *) key+=("$argument") ;;
  esac
done
[ $asked = 1 ] && [ -n "$object" ] && [ -f "$source" ] || exec c++ "$@"

while read -r included; do
  [[ $included =~ ^\<([^\>]+)\>$ ]] || exec c++ "$@"
  for folder in "${folders[@]}"; do [ ! -e "$folder/${BASH_REMATCH[1]}" ] || exec c++ "$@"; done
done < <(sed -nE 's/^[ \t]*(#|%:)[ \t]*include(_next)?[ \t]*(<[^>]*>|.*).*/\3/p' "$source")
! grep -qE '__has_include|\.incbin|\.include' "$source" || exec c++ "$@"

name=$( (readlink -f "$(command -v c++)"; printf '%s\n' "${key[@]}"; cat "$source") | sha256sum)
kept=$here/objects/${name%% *}
if ! cp "$kept" "$object" 2>/dev/null; then
  c++ "$@" || exit
  mkdir -p "$here/objects" && cp "$object" "$kept.$$" && mv "$kept.$$" "$kept"
  exit 0
fi
[ -z "$rule" ] || echo "$object: ${source// /\\ }" >"$rule"
[ -z "$assembled" ] || echo "$object: ${source##*/}" >"$assembled"
