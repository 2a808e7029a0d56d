#!/usr/bin/env bash
# From a fresh Debian machine to kernels: installs what is missing (as root or with sudo), builds kernel-gen, compiles a few
# operations for the CPU and an AMD GPU, and runs one on a .npy file. With --all, every operation for four AMD GPUs too.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
# shellcheck source-path=SCRIPTDIR/..
source tools/packages.sh

case "$*" in
  '') all=false ;;
  --all) all=true ;;
  *) echo "error: unknown arguments '$*'; usage: tools/quickstart.sh [--all]" >&2; exit 2 ;;
esac
step() { printf '\n== %s\n' "$*"; }

step "packages"
install_packages "${build_packages[@]}" "${compiler_packages[@]}"

SECONDS=0
step "build"
cmake --preset release -DKERNELGEN_BUILD_TESTS=OFF
cmake --build --preset release --target kernel-gen
tool=build/release/tools/kernel-gen/kernel-gen

step "five operations for the CPU and an AMD GPU"
out=build/quickstart
mkdir -p "$out"
"$tool" build --target cpu,gfx90a --only op=add,exp,silu,softmax,matmul --out "$out/package"
"$tool" ls "$out/package/kernelgen.kgpkg"

step "exp of -2, -1, 0, 1, 2 on the CPU"
# A .npy file by hand: magic, version 1.0, the header's 118 bytes, then five little-endian floats.
{
  printf '\x93NUMPY\x01\x00\x76\x00'
  printf '%-117s\n' "{'descr': '<f4', 'fortran_order': False, 'shape': (5,), }"
  printf '\x00\x00\x00\xc0\x00\x00\x80\xbf\x00\x00\x00\x00\x00\x00\x80\x3f\x00\x00\x00\x40'
} >"$out/x.npy"
"$tool" run exp --package "$out/package/kernelgen.kgpkg" --device cpu --in "$out/x.npy" --out "$out/y.npy"

if $all; then
  step "every operation for the CPU and four AMD GPUs"
  "$tool" build --target cpu,gfx90a,gfx942,gfx1030,gfx1100 --out "$out/all"
else
  printf '\n%s seconds after the packages were there. Every operation, for the CPU and four AMD GPUs: tools/quickstart.sh --all\n' \
    "$SECONDS"
fi
