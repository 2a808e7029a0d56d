#!/usr/bin/env bash
# candle_ffi.sh CARGO BUILD_FOLDER KERNEL_GEN PACKAGE: the launchers of the exported crate have the signatures of
# candle-kernels' module ffi, as cargo gives it, of each line of versions. With KERNELGEN_CANDLE_FULL=1, candle-core and
# candle-nn of each line compile with the feature cuda over that crate. Exits with 77 where cargo is too old or does not have
# candle's crates.
set -euo pipefail
cargo=$1 build=$2 tool=$3 package=$4
work=$build/candle-ffi
skip() { echo "skipped: $1"; exit 77; }

rm -rf "$work"
mkdir -p "$work/fetch/src" "$work/check/src"
"$tool" export "$package" --candle "$work/candle-kernels" >/dev/null
minimum=$(sed -n 's/^rust-version = "\(.*\)"/\1/p' "$work/candle-kernels/Cargo.toml")
has=$("$cargo" --version | cut -d' ' -f2)
[[ $(printf '%s\n' "$minimum" "$has" | sort -V | head -1) == "$minimum" ]] || skip "it needs cargo $minimum; $cargo is $has"
export CARGO_TARGET_DIR=$build/target CARGO_NET_RETRY=1 CARGO_HTTP_TIMEOUT=20

cat >"$work/fetch/Cargo.toml" <<'TOML'
[package]
name = "fetch"
version = "0.0.0"
edition = "2021"
[dependencies]
v9 = { package = "candle-kernels", version = "=0.9.2" }
v10 = { package = "candle-kernels", version = "=0.10.2" }
v11 = { package = "candle-kernels", version = "=0.11.1" }
[workspace]
TOML
touch "$work/fetch/src/lib.rs"
(cd "$work/fetch" && timeout 120 "$cargo" vendor --versioned-dirs --quiet vendor >/dev/null 2>"$work/errors") ||
  skip "cargo cannot fetch candle-kernels: $(grep -m1 -v '^warning' "$work/errors" || echo 'no answer in 120 s')"

cat >"$work/check/Cargo.toml" <<'TOML'
[package]
name = "check"
version = "0.0.0"
edition = "2021"
[features]
default = ["cutile"]
cutile = []
[dependencies]
candle-kernels = { path = "../candle-kernels" }
[workspace]
TOML
# An array of two functions compiles if their types are the same.
for theirs in "$work"/fetch/vendor/candle-kernels-*/src/ffi.rs; do
  version=$(basename "$(dirname "$(dirname "$theirs")")")
  echo "pub mod ${version//[-.]/_} {"
  echo "    mod theirs { include!(\"$theirs\"); }"
  echo "    pub fn have_the_same_types() {"
  sed -n 's/^ *pub fn \([A-Za-z0-9_]*\)(.*/        let _ = [theirs::\1, candle_kernels::ffi::\1];/p' "$theirs"
  echo "    }"
  echo "}"
done >"$work/check/src/lib.rs"
checked=$(grep -c 'let _ = ' "$work/check/src/lib.rs")
((checked == 3 + 3 + 50)) || { echo "error: $checked functions were found in candle-kernels, not 56"; exit 1; }
(cd "$work/check" && "$cargo" check --offline --quiet)
echo "$checked signatures are candle's"

[[ ${KERNELGEN_CANDLE_FULL:-} == 1 ]] || exit 0
# Else candle's dependency cudarc asks nvcc.
export CUDARC_CUDA_VERSION=${CUDARC_CUDA_VERSION:-12080}
for version in 0.9.2 0.10.2 0.11.0 0.11.1; do
  folder=$work/candle-$version
  mkdir -p "$folder/src"
  "$tool" export "$package" --candle "$folder/candle-kernels" --candle-version "${version%.*}" >/dev/null
  cat >"$folder/Cargo.toml" <<TOML
[package]
name = "program"
version = "0.0.0"
edition = "2021"
[dependencies]
candle-core = { version = "=$version", features = ["cuda"] }
candle-nn = { version = "=$version", features = ["cuda"] }
[patch.crates-io]
candle-kernels = { path = "candle-kernels" }
[workspace]
TOML
  echo 'pub fn device() -> candle_core::Result<candle_core::Device> { candle_core::Device::new_cuda(0) }' >"$folder/src/lib.rs"
  (cd "$folder" && "$cargo" check --quiet)
  grep -A2 'name = "candle-kernels"' "$folder/Cargo.lock" | grep -q source && { echo "error: candle $version takes its own candle-kernels"; exit 1; }
  echo "candle $version compiles over the crate"
done
