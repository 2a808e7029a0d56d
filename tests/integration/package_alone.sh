#!/usr/bin/env bash
# The folder of a package compiles alone, with nothing of this project installed, and together with its headers too:
#   package_alone.sh KERNEL_GEN CC CXX INCLUDE FOLDER
set -euo pipefail
tool=$1 cc=$2 cxx=$3 include=$4 folder=$5
rm -rf "$folder"
mkdir -p "$folder/manifests"
cd "$folder"
export KERNELGEN_CACHE=$folder/cache
printf '{"module": "one", "header": "elementwise/map.hpp", "operations": [
  {"op": "cube", "types": {"T": ["f32"]}, "inputs": ["x: T"], "output": "T", "expr": "x * x * x"}]}\n' >manifests/one.json
"$tool" build --quiet --manifests manifests --target cpu-x86-64-v3 --out package

cat >main.c <<'END'
#ifdef BEFORE
#include <kernelgen/package_format.h>
#include <kernelgen/name_hash.h>
#endif
#include <kernelgen_registry.h>
#ifdef AFTER
#include <kernelgen/name_hash.h>
#include <kernelgen/package_format.h>
#endif
extern
#ifdef __cplusplus
    "C"
#endif
    const unsigned char kernelgen_package_begin[];
int main(void) {
  if (strcmp((const char*)kernelgen_package_begin, KERNELGEN_PACKAGE_MAGIC) != 0) return 1;
  if (kernelgen_find_kernel("kg_cube_f32") != KERNELGEN_KERNEL_kg_cube_f32) return 2;
  return kernelgen_find_kernel("kg_cube") == -1 ? 0 : 3;
}
END
warnings=(-Wall -Wextra -Werror -pedantic)
"$cc" -std=c11 "${warnings[@]}" -I package -c package/kernelgen_registry.c package/kernelgen_package.S
"$cc" -std=c11 "${warnings[@]}" -I package main.c kernelgen_registry.o kernelgen_package.o -o of_c
./of_c
"$cxx" -std=c++17 "${warnings[@]}" -x c++ -I package main.c -x none kernelgen_registry.o kernelgen_package.o -o of_cpp
./of_cpp
for order in BEFORE AFTER; do
  "$cc" -std=c11 "${warnings[@]}" -D$order -I package -I "$include" -fsyntax-only main.c
done
