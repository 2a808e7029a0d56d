#!/usr/bin/env bash
# export.sh CARGO BUILD_FOLDER LIBRARY_FOLDER SOURCE KERNEL_GEN PACKAGE CC: candle's crate is written from the package, compiled
# offline, and its kernels are loaded and launched: by their names, and by its launchers over a stand-in for NVIDIA's driver.
# Exits with 77 where cargo is too old.
set -euo pipefail
cargo=$1 build=$2 library=$3 source=$4 tool=$5 package=$6 cc=$7
copy=$build/export
rm -rf "$copy"
mkdir -p "$copy/bindings"
cp -R "$source/bindings/rust" "$copy/bindings"
cp -R "$source/tests/rust/candle_export" "$copy"
cp "$source/tests/candle/kernels.json" "$copy/candle_export"
"$tool" export "$package" --candle "$copy/candle-kernels"
minimum=$(sed -n 's/^rust-version = "\(.*\)"/\1/p' "$copy/candle-kernels/Cargo.toml")
has=$("$cargo" --version | cut -d' ' -f2)
[[ $(printf '%s\n' "$minimum" "$has" | sort -V | head -1) == "$minimum" ]] ||
  { echo "skipped: it needs cargo $minimum; $cargo is $has"; exit 77; }
# The launchers' GPU: its code is the CPU's, which the driver does not look at.
sed -i '/^const FFI: /,/^};/ s/("cpu[^"]*", /("sm_90", /' "$copy/candle-kernels/src/lib.rs"
mkdir "$copy/driver"
"$cc" -shared -fPIC -o "$copy/driver/libcuda.so.1" "$copy/candle_export/stub_driver.c"
cd "$copy/candle_export"
export CARGO_TARGET_DIR=$build/target KERNELGEN_LIB_DIR=$library CARGO_NET_OFFLINE=true LD_LIBRARY_PATH=$copy/driver:${LD_LIBRARY_PATH:-}
exec "$cargo" test --offline --quiet
