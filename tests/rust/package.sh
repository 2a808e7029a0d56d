#!/usr/bin/env bash
# package.sh CARGO BUILD_FOLDER LIBRARY_FOLDER ARCHIVE_FOLDER SOURCE: the crate as `cargo package` packs it. Its own tests run
# from the archive; a program that depends on it finds the shared library under `cargo run` without LD_LIBRARY_PATH, and
# needs none when it is linked statically.
set -euo pipefail
cargo=$1 build=$2 library=$3 archives=$4 source=$5
copy=$build/package-copy
rm -rf "$copy"
mkdir -p "$copy/program/src"
cp -R "$source/bindings/rust" "$copy/source"
export CARGO_TARGET_DIR=$build/target KERNELGEN_LIB_DIR=$library CARGO_NET_OFFLINE=true
unset LD_LIBRARY_PATH
"$cargo" package --quiet --offline --allow-dirty --manifest-path "$copy/source/Cargo.toml"
for archive in "$CARGO_TARGET_DIR"/package/kernelgen-[0-9]*.crate; do
  tar -xzf "$archive" -C "$copy"
  rm "$archive"
done
mv "$copy"/kernelgen-[0-9]* "$copy/crate"
(cd "$copy/crate" && "$cargo" test --offline --quiet)

cat >"$copy/program/Cargo.toml" <<'END'
[package]
name = "program"
version = "0.0.0"
edition = "2021"
[dependencies]
kernelgen = { path = "../crate" }
[workspace]
END
cp "$source/bindings/rust/examples/add.rs" "$copy/program/src/main.rs"
cd "$copy/program"
"$cargo" run --offline --quiet | grep -F '[11.0, 22.0, 33.0]'

mkdir "$copy/archives"
ln -s "$archives"/libkernelgen*.a "$copy/archives"
ln -sf "$library"/libkernelgen*.a "$copy/archives"
KERNELGEN_LIB_DIR=$copy/archives KERNELGEN_STATIC=1 "$cargo" build --offline --quiet
"$CARGO_TARGET_DIR/debug/program" | grep -F '[11.0, 22.0, 33.0]'
