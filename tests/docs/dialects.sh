#!/usr/bin/env bash
# dialects.sh FOLDER: of kernels/, only device/ asks which GPU compiler is at work or for which GPU (imported/ imitates their headers), and only headers of CPUs ask
# for instruction sets. KG_GPU and other macros of device/ are for everybody.
set -euo pipefail
cd "$1/kernels"
wrong=0
directives() { grep -rnE "^[[:space:]]*#[[:space:]]*(if|ifdef|ifndef|elif)\b.*$1" --include='*.hpp' "${@:2}" . || true; }
gpus=$(directives '__(HIP|CUDA|NVCC|AMDGCN|CUDACC|gfx|GFX)' --exclude-dir=device --exclude-dir=imported)
[[ -z $gpus ]] || { echo "asks for a GPU's compiler outside kernels/device/:"; echo "$gpus"; wrong=1; }
sets=$(directives '__(AVX|SSE|F16C|FMA)' --exclude-dir=device --exclude='*_cpu.hpp')
[[ -z $sets ]] || { echo "asks for a CPU's instructions outside *_cpu.hpp:"; echo "$sets"; wrong=1; }
exit $wrong
