#!/usr/bin/env bash
# Installs the Debian packages in DEBS in clean roots of Debian 12 and 13 and does there what a new user does:
# `kernel-gen init`, then builds, tests and runs the project on the CPU and on two simulated AMD GPUs. The program made on 12
# is run on 13 too. The roots are made in FOLDER (build/chroots); those that are there are used again.
#   tools/chroots.sh DEBS [FOLDER]
# Needs root, debootstrap and a network. tools/release.sh makes the packages.
set -euo pipefail
usage="usage: tools/chroots.sh DEBS [FOLDER]"
[[ ${1:-} != --help ]] || { echo "$usage: tries the Debian packages in DEBS in clean roots of Debian 12 and 13"; exit 0; }
fail() { echo "error: chroots: $*" >&2; exit 1; }
(($# == 1 || $# == 2)) || fail "$# arguments; $usage"
((EUID == 0)) || fail "chroot needs root; run this as root"
command -v debootstrap >/dev/null || fail "debootstrap: not found on PATH; install it"
debs=()
for package in kernel-gen libkernelgen0 libkernelgen-dev; do
  file=$(find "$1" -maxdepth 1 -name "${package}_*.deb" 2>/dev/null) || true
  [[ -f $file ]] || fail "$1: holds not just one ${package}_*.deb; tools/release.sh makes it"
  debs+=("$(realpath "$file")")
done
tools=$(realpath "$(dirname "${BASH_SOURCE[0]}")")
folder=$(realpath -m "${2:-$tools/../build/chroots}")
mkdir -p "$folder"

mounts=()
trap '((${#mounts[@]} == 0)) || umount "${mounts[@]}"' EXIT
# inside SUITE: runs the script on standard input in the suite's root.
inside() {
  cat >"$folder/$1/given/script"
  chroot "$folder/$1" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C bash -euxo pipefail /given/script </dev/null
}
for suite in bookworm trixie; do
  root=$folder/$suite
  if [[ ! -e $root/given ]]; then
    debootstrap --variant=minbase "$suite" "$root" http://deb.debian.org/debian
    printf 'deb http://deb.debian.org/debian%s main\n' " $suite" " $suite-updates" "-security $suite-security" \
      >"$root/etc/apt/sources.list"
  fi
  for mount in proc dev; do
    mount --bind "/$mount" "$root/$mount"; mounts+=("$root/$mount")
  done
  cp /etc/resolv.conf "$root/etc/resolv.conf"
  rm -rf "$root/given" && mkdir "$root/given"
  cp "${debs[@]}" "$tools/packages.sh" "$root/given"
  inside "$suite" <<'END'
source /given/packages.sh
install_packages g++ cmake make "${compiler_packages[@]}"
apt-get install -q -y --no-install-recommends --reinstall --allow-downgrades /given/*.deb
cd "$(mktemp -d)"
kernel-gen init demo
cmake -S demo -B demo/build "-DKERNEL_TARGETS=cpu;gfx90a;gfx1100"
cmake --build demo/build
ctest --test-dir demo/build --output-on-failure
for device in cpu simulated:gfx90a simulated:gfx1100; do
  [[ $(demo/build/main "$device") == "on "*": -61 -20.5 0 20.5 60.5" ]]
done
cp demo/build/main /given
END
done
cp "$folder/bookworm/given/main" "$root/given/main-of-bookworm"
inside trixie <<<'/given/main-of-bookworm cpu'
