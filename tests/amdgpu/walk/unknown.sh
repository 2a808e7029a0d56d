#!/bin/bash
# unknown.sh KERNEL-GEN KERNELGEN-AMDGPU-UNKNOWN PACKAGE N: each Nth code object for AMD GPUs, 1 for all, has no instruction
# that the simulator does not know, whether a test executes it or not.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"$1" extract "$3" --out "$folder/code"
mapfile -t objects < <(find "$folder/code" -name '*.hsaco' | sort | awk -v n="$4" 'NR % n == 0')
[[ ${#objects[@]} -gt 0 ]] || { echo "$3 has no code for AMD GPUs"; exit 1; }
unknown=$("$2" "${objects[@]}")
[[ -z $unknown ]] || { printf 'instructions that the simulator does not know, and how often they are there:\n%s\n' "$unknown"; exit 1; }
