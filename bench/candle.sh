#!/usr/bin/env bash
# candle.sh: candle over kernel-gen's CPU device beside candle's own CPU back end, the same program and calls, on two CPU
# threads. Prints bench/results/candle.md. KERNELGEN_LIB_DIR names the library's folder (default: build/release). With
# KERNELGEN_DEVICE=cuda:0 or hip:0, our side is that GPU.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
KERNELGEN_LIB_DIR=${KERNELGEN_LIB_DIR:-$PWD/build/release}
export KERNELGEN_LIB_DIR KERNELGEN_DEVICE=${KERNELGEN_DEVICE:-cpu} RAYON_NUM_THREADS=2
cargo run --quiet --release --manifest-path bindings/rust/candle/Cargo.toml -- 0.11.0 --out bench/candle/crates >/dev/null
cargo build --quiet --release --manifest-path bench/candle/Cargo.toml
program=${CARGO_TARGET_DIR:-bench/candle/target}/release/candle-bench

echo "# candle"
echo
echo "candle 0.11.0 on kernel-gen's device \`$KERNELGEN_DEVICE\` beside candle's CPU back end, in one run on two threads of"
echo "$(sed -n 's/^model name.*: //p' /proc/cpuinfo | head -1), by \`bench/candle.sh\`. Medians."
echo
LD_LIBRARY_PATH=$KERNELGEN_LIB_DIR taskset --cpu-list 0,1 "$program"
