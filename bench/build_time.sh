#!/usr/bin/env bash
# Cold build of the core manifests: wall seconds, and seconds a kernel, for each target named.
#   bench/build_time.sh build/tools/kernel-gen/kernel-gen gfx90a gfx1100
set -euo pipefail
tool=$1
shift
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
printf '%-16s %8s %8s %12s\n' target kernels seconds ms/kernel
for target in "${@:-gfx90a}"; do
  start=$(date +%s.%N)
  "$tool" build --target "$target" --no-cache --out "$scratch/$target" >"$scratch/log" 2>&1 || { cat "$scratch/log" >&2; exit 1; }
  end=$(date +%s.%N)
  kernels=$(sed -n 's/^.*kgpkg: \([0-9]*\) kernels.*/\1/p' "$scratch/log")
  awk -v t="$target" -v k="$kernels" -v s="$(echo "$end $start" | awk '{print $1 - $2}')" \
    'BEGIN { printf "%-16s %8d %8.1f %12.1f\n", t, k, s, k ? 1000 * s / k : 0 }'
done
