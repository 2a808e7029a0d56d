#!/usr/bin/env bash
# docs/environment.md names every environment variable of ours that the library, the bindings and the tool read, and no other:
#   environment.sh FOLDER
set -euo pipefail
cd "$1"
read_by_us=$(grep -rhoE '"KERNELGEN_[A-Z0-9_]+"' runtime/src tools/amdgpu tools/kernel-gen bindings/python/kernelgen \
  bindings/ggml bindings/rust/build.rs bindings/rust/candle/backend | tr -d '"' | sort -u)
stated=$(grep -oE 'KERNELGEN_[A-Z0-9_]+' docs/environment.md | sort -u)
diff --label "variables that are read" --label "variables in docs/environment.md" --unified <(echo "$read_by_us") <(echo "$stated")
