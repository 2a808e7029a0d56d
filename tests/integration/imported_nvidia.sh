#!/usr/bin/env bash
# Imports HIP files and builds their kernels for NVIDIA GPUs, as cubin and PTX; exits with 77 without nvcc:
#   imported_nvidia.sh KERNEL_GEN FILE FOLDER
set -euo pipefail
tool=$1 file=$2 folder=$3
[[ -n ${CUDA_PATH:-} ]] || command -v nvcc >/dev/null || [[ -x /usr/local/cuda/bin/nvcc ]] || { echo "skipped: no nvcc"; exit 77; }
rm -rf "$folder"
mkdir -p "$folder"
cd "$folder"
export KERNELGEN_CACHE=$folder/cache
for source in "$file" "${file%/*}/total.hip"; do
  "$tool" import "$source" --out mine
done
"$tool" build --manifests mine/manifests --kernels mine/kernels --target sm_90,compute_80 --out package
"$tool" verify package
"$tool" inspect package scale --target sm_90 --json | grep -q '"max_block": 128'
"$tool" export package --ptx ptx
for kernel in scale shift total; do
  grep -q "\.entry $kernel(" ptx/compute_80/*.ptx
done
