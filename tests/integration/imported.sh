#!/usr/bin/env bash
# Imports a HIP file and builds its kernels for a CPU and an AMD GPU, as the manual says:
#   imported.sh KERNEL_GEN FILE FOLDER
# After a wanted change of the wrappers: kernel-gen emit --wrappers FOLDER/package --name shapes --out tests/integration/imported/wrappers
set -euo pipefail
tool=$1 file=$2 folder=$3
rm -rf "$folder"
mkdir -p "$folder"
cd "$folder"
"$tool" import "$file" --out mine
"$tool" build --manifests mine/manifests --kernels mine/kernels --target cpu,gfx90a --out package
"$tool" verify package
"$tool" inspect package scale --target gfx90a --json | grep -q '"max_block": 128'
"$tool" ls package --kernels-of '(by name)' | grep -qF 'f32* y, const f32* x, u64 n, f32 factor'
# The wrappers that the tests of C++ and Rust are compiled with are those of this package.
"$tool" emit --wrappers package --name shapes --out "${file%/*}/wrappers" --check
"$tool" emit --wrappers package/kernelgen.kgpkg --out wrappers | grep -qx 'new wrappers/package.hpp'
grep -q '^namespace package {' wrappers/package.hpp
# One kernel alone, next to what is there.
"$tool" import "$file" --kernel shift --module other --out mine
grep -q '"shift"' mine/manifests/other.json
(! grep -q '"scale"' mine/manifests/other.json)
test -s mine/manifests/shapes.json
# What the device API offers, on a CPU and on GPUs with waves of 64 and 32 lanes.
folder_of=${file%/*}
"$tool" import "$folder_of"/features.hip --instantiate 'by<double, 5>' --out features
"$tool" import "$folder_of"/{total.hip,warps.cu} --out features
"$tool" build --manifests features/manifests --kernels features/kernels --target cpu,gfx90a,gfx1100 --out features/package
"$tool" inspect features/package histogram --target gfx90a --json | grep -q '"max_block": 128'
"$tool" ls features/package --kernels-of '(by name)' | grep -qF 'Bytes<32,16> line'
(! grep -rq hipUnknownFunction features/kernels)
