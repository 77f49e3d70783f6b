# For fresh_root.sh and packages.sh, which source it: a bare Debian root at $root, from the packages of this machine's own sources,
# and commands in it.
suite=$(. /etc/os-release && echo "$VERSION_CODENAME")
mirror=$(cat /etc/apt/sources.list.d/*.sources /etc/apt/sources.list /etc/apt/sources.list.d/*.list 2>/dev/null |
  sed -nE 's/^URIs: *([^ ]+).*/\1/p; s/^deb +(\[[^]]*\] +)?([^ ]+).*/\2/p' | head -1) || true
[ -n "$mirror" ] || { echo "there is no Debian mirror under /etc/apt" >&2; exit 2; }

make_root() {
  rm -rf "$root"
  mkdir -p "$(dirname "$root")"
  debootstrap --variant=minbase --include=git,ca-certificates "$suite" "$root" "$mirror" >"$root.log" 2>&1 ||
    { tail "$root.log"; exit 1; }
  # The same sources, certificates and names of hosts as here; nothing that is installed here.
  rm -f "$root/etc/apt/sources.list"
  cp -r /etc/apt/sources.list.d /etc/apt/apt.conf.d "$root/etc/apt/"
  [ ! -f /etc/apt/sources.list ] || cp /etc/apt/sources.list "$root/etc/apt/"
  rm -f "$root"/etc/apt/apt.conf.d/docker*
  mkdir -p "$root/usr/local/share/ca-certificates"
  cp -rL --remove-destination /etc/ssl/certs/. "$root/etc/ssl/certs/"
  # Nobody needs this root after a power failure: packages are unpacked without waiting for the disk.
  echo force-unsafe-io >"$root/etc/dpkg/dpkg.cfg.d/unsafe-io"
  for file in /etc/resolv.conf /etc/hosts /etc/pip.conf; do [ ! -f "$file" ] || cp -L "$file" "$root$file"; done
}

enter() {  # command...: in the root, with nothing of this machine's environment but how to reach the network
  local kept=() name
  for name in http_proxy https_proxy no_proxy HTTP_PROXY HTTPS_PROXY NO_PROXY PIP_INDEX_URL PIP_CERT SSL_CERT_FILE WARPTUNE_JOBS \
    PREFIX; do
    [ -z "${!name:-}" ] || kept+=("$name=${!name}")
  done
  env -i HOME=/root PATH=/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin LANG=C.UTF-8 CI="${CI:-}" "${kept[@]}" chroot "$root" "$@"
}
