#!/usr/bin/env bash
# version.sh FOLDER TOOL: the tool reports the version of tools/kernel-gen/base/version.hpp, no other file of the tree
# spells it except the crates' manifests, which bindings/generate.py writes, and CHANGELOG.md has a section for what is
# not released yet.
set -euo pipefail
cd "$1"
version=$(sed -n 's/.*version\[\] = "\([0-9.]*\)".*/\1/p' tools/kernel-gen/base/version.hpp)
[[ -n $version ]] || { echo "tools/kernel-gen/base/version.hpp: no version found"; exit 1; }
[[ $("$2" --version) == *"$version"* ]] || { echo "$2 --version does not print $version"; exit 1; }
copies=$(grep -lE "(version *=|VERSION) *\"?${version//./\\.}\b" \
  CMakeLists.txt cmake/* runtime/CMakeLists.txt bindings/python/*.py bindings/python/kernelgen/*.py bindings/rust/Cargo.toml \
  bindings/rust/candle/Cargo.toml | sort)
diff --label "files with the version" --label "files that bindings/generate.py writes" --unified <(echo "$copies") - <<'END'
bindings/rust/Cargo.toml
bindings/rust/candle/Cargo.toml
END
grep -q '^## \[Unreleased\]$' CHANGELOG.md || { echo "CHANGELOG.md: no section [Unreleased]"; exit 1; }
