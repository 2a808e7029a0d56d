#!/usr/bin/env bash
# The manifests that README.md shows, each pasted into a file, build and hold the operation that they name:
#   readme_manifest.sh README KERNEL_GEN
set -euo pipefail
page=$(realpath "$1") tool=$(realpath "$2")
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"
mkdir mine
awk '/^```json$/ { inside = 1; file = "mine/" ++count ".json"; next } /^```/ { inside = 0 } inside { print > file }' "$page"
[[ -s mine/1.json ]] || { echo "the page shows no manifest"; exit 1; }
KERNELGEN_CACHE=$scratch/cache "$tool" build --quiet --manifests mine --target cpu-x86-64-v3 --out package
"$tool" ls package | grep -q '^cube '
