#!/usr/bin/env bash
# deleted_manifest.sh CMAKE GENERATOR PREFIX SCRATCH: builds two manifests' kernels against the install tree in PREFIX,
# deletes one manifest and builds again.
set -euo pipefail
cmake=$1 generator=$2 prefix=$3 scratch=$4

rm -rf "$scratch"
mkdir -p "$scratch/manifests"
cat >"$scratch/CMakeLists.txt" <<'END'
cmake_minimum_required(VERSION 3.25)
project(deleted_manifest LANGUAGES C CXX ASM)
find_package(kernelgen 0.1 REQUIRED)
kernelgen_add_kernels(my_kernels MANIFESTS manifests)
END
for name in cube square; do
  cat >"$scratch/manifests/$name.json" <<END
{"module": "$name", "doc": "One operation.", "header": "elementwise/map.hpp",
 "operations": [{"op": "$name", "types": {"T": ["f32"]}, "inputs": ["x: T"], "output": "T", "expr": "x * x"}]}
END
done

"$cmake" -S "$scratch" -B "$scratch/build" -G "$generator" "-DCMAKE_PREFIX_PATH=$prefix"
"$cmake" --build "$scratch/build"
registry=$(find "$scratch" -name kernelgen_registry.h)
grep -q KERNELGEN_KERNEL_kg_square_f32 "$registry"
rm "$scratch/manifests/square.json"
"$cmake" --build "$scratch/build"
grep -q KERNELGEN_KERNEL_kg_cube_f32 "$registry"
if grep -q KERNELGEN_KERNEL_kg_square_f32 "$registry"; then
  echo "error: square.json is gone, its kernels are not"
  exit 1
fi
