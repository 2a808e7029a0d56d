#!/usr/bin/env bash
# Packages made of packages are, byte for byte, those that a build writes, and run:
#   package_tools.sh KERNEL_GEN
set -euo pipefail
tool=$(realpath "$1")
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"
build() { "$tool" build --only op=exp,add --target "$1" --out "$2" >/dev/null; }
same() { diff -r "$1" "$2" || { echo "$1 is not $2"; exit 1; }; }

build cpu,gfx90a all
build cpu-x86-64-v3,gfx90a some
build cpu-x86-64-v4 other

"$tool" prune all --keep 'cpu*v3' --keep cdna --out pruned
same pruned some
"$tool" merge other some --out merged
same merged all
"$tool" split all --out parts
"$tool" merge parts/*.kgpkg --out again.kgpkg
cmp again.kgpkg all/kernelgen.kgpkg
"$tool" verify again.kgpkg >/dev/null
"$tool" diff all again.kgpkg --fail-on size,package,added,removed
"$tool" conform all some

for package in all again.kgpkg stored; do
  [[ $package != stored ]] || "$tool" build --only op=exp,add --target cpu,gfx90a --compress none --out stored >/dev/null
  "$tool" inspect "$package" --annotate >ranges
  if grep -E 'bytes of nothing|begins before' ranges; then echo "error: bytes of $package have no name, or two"; exit 1; fi
done

{ # -2 … 2 as float32
  printf '\x93NUMPY\x01\x00\x76\x00'
  printf '%-117s\n' "{'descr': '<f4', 'fortran_order': False, 'shape': (5,), }"
  printf '\x00\x00\x00\xc0\x00\x00\x80\xbf\x00\x00\x00\x00\x00\x00\x80\x3f\x00\x00\x00\x40'
} >x.npy
"$tool" run exp --in x.npy --package parts/cpu-x86-64-v3.kgpkg --device cpu | grep -qF '[0.13533528, 0.36787945, 1, 2.7182817, 7.389056]'

"$tool" extract all --module math --out code
"$tool" inspect code/gfx90a/math.hsaco kg_exp_f32 | grep -q kg_exp_f32
"$tool" inspect code/cpu-x86-64-v4/math.so kg_exp_f32 | grep -q kg_exp_f32
"$tool" export all --hsaco exported
cmp exported/gfx90a/math.hsaco code/gfx90a/math.hsaco
grep -q '"file": "gfx90a/math.hsaco"' exported/index.json
echo "packages of packages are those of builds"
