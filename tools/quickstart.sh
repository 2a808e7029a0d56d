#!/usr/bin/env bash
# From a fresh Debian 12 machine to kernels: installs what is missing (as root or with sudo), builds kernel-gen, compiles
# the shipped operations for the CPU and four AMD GPUs, shows what was built, and runs an operation on a .npy file.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
# shellcheck source-path=SCRIPTDIR/..
source tools/packages.sh

step() { printf '\n== %s\n' "$*"; }

step "packages"
install_packages "${build_packages[@]}" "${compiler_packages[@]}"

step "build"
cmake --preset release -DKERNELGEN_BUILD_TESTS=OFF
cmake --build --preset release --target kernel-gen
tool=build/release/tools/kernel-gen/kernel-gen

step "kernels for the CPU and four AMD GPUs"
out=build/quickstart
mkdir -p "$out"
"$tool" build --target cpu,gfx90a,gfx942,gfx1030,gfx1100 --out "$out/package"
"$tool" ls "$out/package/kernelgen.kgpkg"

step "exp of -2, -1, 0, 1, 2 on the CPU"
# A .npy file by hand: magic, version 1.0, the header's 118 bytes, then five little-endian floats.
{
  printf '\x93NUMPY\x01\x00\x76\x00'
  printf '%-117s\n' "{'descr': '<f4', 'fortran_order': False, 'shape': (5,), }"
  printf '\x00\x00\x00\xc0\x00\x00\x80\xbf\x00\x00\x00\x00\x00\x00\x80\x3f\x00\x00\x00\x40'
} >"$out/x.npy"
"$tool" run exp --package "$out/package/kernelgen.kgpkg" --device cpu --in "$out/x.npy" --out "$out/y.npy"
