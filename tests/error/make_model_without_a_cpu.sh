#!/usr/bin/env bash
# A package without code for the CPU, which makes a model's weights: an error, and no file is left behind.
#   make_model_without_a_cpu.sh KERNEL_GEN MAKE_MODEL
set -euo pipefail
tool=$1 make_model=$2
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"
mkdir manifests out
printf '{"module": "one", "header": "elementwise/map.hpp", "operations": [
  {"op": "cube", "types": {"T": ["f32"]}, "inputs": ["x: T"], "output": "T", "expr": "x * x * x"}]}\n' >manifests/one.json
KERNELGEN_CACHE=$scratch/cache "$tool" build --quiet --manifests manifests --target gfx90a --out package
if KERNELGEN_PACKAGE=$scratch/package/kernelgen.kgpkg "$make_model" out/model.gguf 2>said; then
  echo "error: a model was made"; exit 1
fi
grep -q '^make_model: ' said || { cat said; exit 1; }
[[ -z $(ls out) ]] || { echo "error: it left $(ls out)"; exit 1; }
