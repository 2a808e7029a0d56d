#!/usr/bin/env bash
# export.sh CARGO BUILD_FOLDER LIBRARY_FOLDER SOURCE KERNEL_GEN PACKAGE: candle's crate is written from the package, compiled
# offline, and its kernels are loaded and launched.
set -euo pipefail
cargo=$1 build=$2 library=$3 source=$4 tool=$5 package=$6
copy=$build/export
rm -rf "$copy"
mkdir -p "$copy/bindings"
cp -R "$source/bindings/rust" "$copy/bindings"
cp -R "$source/tests/rust/candle_export" "$copy"
cp "$source/tests/candle/kernels.json" "$copy/candle_export"
"$tool" export "$package" --candle "$copy/candle-kernels"
cd "$copy/candle_export"
export CARGO_TARGET_DIR=$build/target KERNELGEN_LIB_DIR=$library CARGO_NET_OFFLINE=true
exec "$cargo" test --offline --quiet
