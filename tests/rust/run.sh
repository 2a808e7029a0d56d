#!/usr/bin/env bash
# run.sh CARGO BUILD_FOLDER LIBRARY_FOLDER SOURCE CRATE [ARGUMENT...]: `cargo test`, offline, of a crate below SOURCE, in a copy,
# so that nothing is written to the tree.
set -euo pipefail
cargo=$1 build=$2 library=$3 source=$4 crate=$5
shift 5
copy=$build/$crate-copy
rm -rf "$copy"
mkdir -p "$copy/bindings"
cp -R "$source/bindings/rust" "$copy/bindings"
cd "$copy/$crate"
export CARGO_TARGET_DIR=$build/target KERNELGEN_LIB_DIR=$library CARGO_NET_OFFLINE=true
exec "$cargo" test --offline --quiet "$@"
