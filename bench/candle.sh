#!/usr/bin/env bash
# candle.sh: candle over kernel-gen beside candle's own back ends, the same program and calls. Prints a section of
# bench/results/candle.md.
#   candle.sh cpu   kernel-gen's CPU device and candle's CPU back end, on two threads
#   candle.sh cuda  KERNELGEN_DEVICE (default cuda:0) and candle's feature `cuda`, which needs CUDA's nvcc and libraries;
#                   BENCH_OURS and BENCH_CANDLE name programs that were built before
# KERNELGEN_LIB_DIR is the library's folder (default: build/release).
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
version=0.11.0
export KERNELGEN_LIB_DIR=${KERNELGEN_LIB_DIR:-$PWD/build/release} LC_ALL=C
export LD_LIBRARY_PATH=$KERNELGEN_LIB_DIR${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
times=$(mktemp)
trap 'rm -f "$times"' EXIT

# The program over kernel-gen.
build_ours() {
  cargo run --quiet --release --manifest-path bindings/rust/candle/Cargo.toml -- $version --out bench/candle/crates >/dev/null
  cargo build --quiet --release --features cuda --manifest-path bench/candle/Cargo.toml
  BENCH_OURS=${CARGO_TARGET_DIR:-bench/candle/target}/release/candle-bench
}

# The same program over candle as cargo gives it.
build_candle() {
  rm -rf bench/candle/stock
  mkdir -p bench/candle/stock
  sed '/^# Written by/,$d' bench/candle/Cargo.toml >bench/candle/stock/Cargo.toml
  cp -R bench/candle/src bench/candle/stock
  cargo build --quiet --release --features cuda --manifest-path bench/candle/stock/Cargo.toml --target-dir bench/candle/stock/target
  BENCH_CANDLE=bench/candle/stock/target/release/candle-bench
}

case ${1:-} in
  cpu)
    [[ -n ${BENCH_OURS:-} ]] || build_ours
    export KERNELGEN_DEVICE=cpu RAYON_NUM_THREADS=2
    for set in kernels small-models; do
      taskset --cpu-list 0,1 "$BENCH_OURS" kernel-gen=cuda,candle=cpu $set "${BENCH_SECONDS:-0.3}"
    done >"$times"
    machine="two threads of $(sed -n 's/^model name.*: //p' /proc/cpuinfo | head -1)"
    other="candle's CPU back end, the two alternating in one process"
    ;;
  cuda)
    [[ -n ${BENCH_OURS:-} ]] || build_ours
    [[ -n ${BENCH_CANDLE:-} ]] || build_candle
    export KERNELGEN_DEVICE=${KERNELGEN_DEVICE:-cuda:0}
    for set in kernels models kernels models; do
      "$BENCH_OURS" kernel-gen=cuda $set "${BENCH_SECONDS:-0.1}"
      "$BENCH_CANDLE" candle=cuda $set "${BENCH_SECONDS:-0.1}"
    done >"$times"
    machine=$(nvidia-smi --query-gpu=name --format=csv,noheader | head -1)
    other="candle's feature \`cuda\`, the two programs in turns"
    ;;
  *) sed -n '2,8s/^# \?//p' "$0" >&2; exit 2 ;;
esac

echo "## ${1^^}"
echo
echo "$(date +%F), candle $version, $machine, beside $other: \`bench/candle.sh $1\`."
echo
bench/candle_table.py kernel-gen candle "$times"
