#!/usr/bin/env bash
# `kernel-gen plan --ninja` run by ninja makes the package that `kernel-gen build` makes, and compiles what changed:
#   plan_ninja.sh KERNEL_GEN FOLDER
set -euo pipefail
tool=$1 folder=$2
command -v ninja >/dev/null || { echo "ninja is not installed"; exit 77; }
rm -rf "$folder"
# Names that ninja and a shell read as something else.
mkdir -p "$folder/a b:\$c"
cd "$folder/a b:\$c"
mkdir manifests kernels tmp
printf '#pragma once\n#include "device/dialect.hpp"\n' >kernels/body.hpp
export KERNELGEN_CACHE=$PWD/cache TMPDIR=$PWD/tmp

manifest() { # NAME BODY
  printf '{"module": "%s", "header": "body.hpp", "symbols": [\n  {"name": "%s", "args": ["x: f32*"], "body": "%s"}]}\n' \
    "$1" "$1" "$2" >"manifests/$1.json"
}
manifest first 'x[0] += 1.0f'
manifest second 'x[0] *= 2.0f'
options=(--manifests manifests --kernels kernels --target cpu-x86-64-v3 --target gfx90a --compress zstd:3)
same() {
  "$tool" build "${options[@]}" --quiet --out plain
  diff -r plain package
}
ninja_says() { ninja -C . | tee said; }
expect() { grep -qF -- "$1" said || { echo "error: ninja does not say '$1'"; exit 1; }; }

"$tool" plan "${options[@]}" --ninja build.ninja --out package
ninja_says
same
ninja_says
expect 'no work to do'

# A manifest: ninja plans again by itself, and compiles that module alone.
manifest second 'x[0] *= 3.0f'
ninja_says
expect 'second'
if grep -F 'gfx90a first' said; then echo "error: what nobody changed was compiled"; exit 1; fi
same
# A header, by the depfiles.
echo 'inline constexpr int no_such_thing_before = 1;' >>kernels/body.hpp
ninja_says
expect 'gfx90a first'
same
ninja_says
expect 'no work to do'

# Through a launcher, which learns what else its compiler reads.
if command -v ccache >/dev/null; then
  export CCACHE_DIR=$folder/ccache
  for _ in one two; do
    rm -rf launched .ninja_log .ninja_deps
    "$tool" plan "${options[@]}" --ninja launched.ninja --objects launched --out package --launcher ccache --quiet
    ninja -C . -f launched.ninja >/dev/null
    same
  done
  hits=$(ccache --print-stats | awk '$1 ~ /_cache_hit$/ { hits += $2 } END { print hits }')
  ((hits >= 4)) || { echo "error: ccache had $hits of the 4 compiles"; exit 1; }
  grep -q 'run = CCACHE_EXTRAFILES=/.*ocml.bc' launched.ninja || { echo "error: ccache does not know of the bitcode"; exit 1; }
fi

# Objects that the plan does not name, and none at all.
manifest third 'x[0] = 0.0f'
if "$tool" build "${options[@]}" --objects kernelgen-objects --out package 2>said; then
  echo "error: objects of another plan were packed"; exit 1
fi
expect 'planned for other kernels, compilers or options'
rm manifests/third.json
: >kernelgen-objects/first-gfx90a.o
if "$tool" build "${options[@]}" --objects kernelgen-objects --out package 2>said; then
  echo "error: an empty object was packed"; exit 1
fi
expect 'gfx90a first: code object cannot be read'
same
[[ -z $(ls tmp) ]] || { echo "error: compilers left in TMPDIR: $(ls tmp)"; exit 1; }
echo "ninja makes what a build makes"
