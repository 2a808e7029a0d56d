#!/usr/bin/env bash
# candle.sh CARGO BUILD_FOLDER SOURCE: the tests of kernelgen-candle, run from what `cargo package` packs. Exits with 77 where
# cargo is too old or does not have the crates that it depends on.
set -euo pipefail
cargo=$1 build=$2 source=$3
copy=$build/candle-copy
skip() { echo "skipped: $1"; exit 77; }

minimum=$(sed -n 's/^rust-version = "\(.*\)"/\1/p' "$source/bindings/rust/candle/Cargo.toml")
has=$("$cargo" --version | cut -d' ' -f2)
[[ $(printf '%s\n' "$minimum" "$has" | sort -V | head -1) == "$minimum" ]] || skip "it needs cargo $minimum; $cargo is $has"
rm -rf "$copy"
mkdir -p "$copy"
cp -R "$source/bindings/rust/candle" "$copy/source"
cd "$copy/source"
export CARGO_TARGET_DIR=$build/target CARGO_NET_RETRY=1 CARGO_HTTP_TIMEOUT=20
"$cargo" fetch --quiet --offline 2>/dev/null || timeout 120 "$cargo" fetch --quiet 2>"$copy/errors" ||
  skip "cargo cannot fetch what it depends on: $(grep -m1 -v '^warning' "$copy/errors" || echo 'no answer in 120 s')"
export CARGO_NET_OFFLINE=true
"$cargo" package --quiet --allow-dirty --no-verify 2>&1 | { grep -v '^warning: manifest has no\|^  |$\|^  = note: see https' || true; }
tar -xzf "$CARGO_TARGET_DIR"/package/kernelgen-candle-*.crate -C "$copy"
cd "$copy"/kernelgen-candle-*
exec "$cargo" test --quiet
