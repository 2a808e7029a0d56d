#!/usr/bin/env bash
# run.sh CARGO BUILD_FOLDER LIBRARY_FOLDER SOURCE PART: candle's crates over libkernelgen.so, on the device that
# KERNELGEN_DEVICE names (default cpu). PART:
#   suite   candle-core's and candle-nn's own tests of the release, and every operation beside candle's CPU back end
#   models  candle-transformers' own tests, its models beside candle's CPU back end, and the example; with
#           KERNELGEN_CANDLE_FULL=1 only
# Exits with 77 where cargo is too old or has no candle: no network, and no vendor folder in its configuration.
set -euo pipefail
cargo=$1 build=$2 library=$3 source=$4 part=$5
version=0.11.0
here=$source/tests/candle_suite
minimum=1.88 # the newest rust-version among candle's dependencies

skip() { echo "skipped: $1"; exit 77; }

if [[ $part == models && ${KERNELGEN_CANDLE_FULL:-0} != 1 ]]; then
  skip "candle-transformers takes minutes to compile; set KERNELGEN_CANDLE_FULL=1"
fi
has=$("$cargo" --version | cut -d' ' -f2)
[[ $(printf '%s\n' "$minimum" "$has" | sort -V | head -1) == "$minimum" ]] ||
  skip "candle $version needs cargo $minimum or later; $cargo is $has"

mkdir -p "$build/fetch"
cd "$build"
export CARGO_TARGET_DIR=${CARGO_TARGET_DIR:-$build/target} KERNELGEN_LIB_DIR=$library KERNELGEN_DEVICE=${KERNELGEN_DEVICE:-cpu}
export KERNELGEN_CPU_DEVICES=${KERNELGEN_CPU_DEVICES:-3} # for tests of several devices
# A registry that does not answer is given up soon.
export CARGO_NET_RETRY=1 CARGO_HTTP_TIMEOUT=20 CARGO_TERM_COLOR=never

# Whether cargo has candle at all; what fails later is an error.
sed "s/@VERSION@/$version/" "$here/fetch.toml" >fetch/Cargo.toml
: >fetch/lib.rs
timeout 300 "$cargo" fetch --quiet --manifest-path fetch/Cargo.toml 2>fetch/errors ||
  skip "cargo cannot fetch candle $version: $(grep -m1 -v '^warning' fetch/errors || echo 'no answer in 300 s')"

# cargo runs tests of the workspace's members only.
transformers=$("$cargo" metadata --quiet --offline --format-version 1 --manifest-path fetch/Cargo.toml |
  grep -o "\"[^\"]*/candle-transformers-$version/Cargo.toml\"" | head -1 | tr -d '"')

# Copies, so that nothing is written to the tree. They keep the files' times, so that cargo compiles nothing twice.
rm -rf rust differential models candle candle-transformers
cp -Rp "$source/bindings/rust" "$here/differential" "$here/models" "$source/examples/candle" .
cp -Rp "${transformers%/*}" candle-transformers
cp -p "$here/workspace.toml" Cargo.toml
for crate in "$here/differential" "$here/models" "$source/examples/candle"; do
  sed -i "s/@VERSION@/$version/; /^\[patch/,\$d" "${crate##*/}/Cargo.toml"
  touch -r "$crate/Cargo.toml" "${crate##*/}/Cargo.toml"
done
"$cargo" run --quiet --manifest-path rust/candle/Cargo.toml -- "$version" --out crates --kernelgen rust >/dev/null
# The versions that the release was tested with.
[[ -e Cargo.lock ]] || cp crates/candle-core/Cargo.lock .

# Always with the same packages: cargo compiles dependencies again for packages that need other features of them.
packages=(-p candle-core -p candle-nn -p kernelgen-candle-differential)
case $part in
  suite) "$here/suite.sh" "$here/cannot_pass.txt" "$build/suite.log" "$cargo" test --no-fail-fast --tests "${packages[@]}" ;;
  models)
    "$cargo" test --quiet --no-fail-fast "${packages[@]}" -p candle-transformers -p kernelgen-candle-models \
      --lib --test generation_tests --test nms_tests --test gguf --test text --test vision
    prompt="**The conformance walk** runs on"
    "$cargo" run --quiet -p candle-gguf -- "$source/examples/llama/tiny.gguf" "$prompt" 30 | tee example.log
    grep -qF "the device that \`KERNELGEN_DEVICE\`" example.log || { echo "error: the example wrote another text"; exit 1; }
    ;;
  *) echo "error: no part is called $part" >&2; exit 2 ;;
esac
