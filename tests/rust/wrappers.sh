#!/usr/bin/env bash
# wrappers.sh CARGO BUILD_FOLDER LIBRARY_FOLDER SOURCE PACKAGE: a crate with the wrappers that `kernel-gen emit --wrappers` wrote
# (tests/integration/imported/wrappers) launches the imported kernels of PACKAGE.
set -euo pipefail
cargo=$1 build=$2 library=$3 source=$4 package=$5
copy=$build/wrappers
rm -rf "$copy"
mkdir -p "$copy/bindings"
cp -R "$source/bindings/rust" "$copy/bindings"
cp -R "$source/tests/rust/wrappers" "$copy"
cp "$source/tests/integration/imported/wrappers/shapes.rs" "$copy/wrappers/src"
cd "$copy/wrappers"
export CARGO_TARGET_DIR=$build/target KERNELGEN_LIB_DIR=$library CARGO_NET_OFFLINE=true KERNELGEN_IMPORTED=$package
exec "$cargo" test --offline --quiet
