#!/usr/bin/env bash
# What a newcomer waits for: the tool built from nothing, its first kernels, every operation for one target, the same again.
# Each source tree named (this one by default) is a column of the table, seconds of the clock and of all CPUs:
#   bench/toolchain.sh [TREE...]
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
(($#)) || set -- "$here"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
export XDG_CACHE_HOME=$scratch/cache
TIMEFORMAT='%R %U %S'

# timed COMMAND...: "wall (cpu)" on stdout; what the command said where it failed.
timed() {
  local seconds
  seconds=$({ time "$@" >"$scratch/log" 2>&1; } 2>&1) || { cat "$scratch/log" >&2; return 1; }
  awk '{ printf "%.1f (%.1f)", $1, $2 + $3 }' <<<"$seconds"
}

build_tool() {
  cmake -S "$1" -B "$scratch/build" -G Ninja -DCMAKE_BUILD_TYPE=Release -DKERNELGEN_BUILD_TESTS=OFF
  cmake --build "$scratch/build" --target kernel-gen
}

rows=(
  "the tool|"
  "\`exp\` for the CPU and gfx90a, cold|--only op=exp --target cpu,gfx90a"
  "every operation for gfx90a, cold|--target gfx90a"
  "every operation for gfx1100, cold|--target gfx1100"
  "every operation for two CPU targets, cold|--target cpu"
  "the same, nothing changed|--target cpu"
)
declare -A cell
for tree in "$@"; do
  rm -rf "$scratch/build" "$scratch/cache"
  for row in "${rows[@]}"; do
    options=${row#*|}
    if [[ -z $options ]]; then
      cell[$tree,$row]=$(timed build_tool "$tree")
    else
      read -ra words <<<"$options"
      cell[$tree,$row]=$(timed "$scratch/build/tools/kernel-gen/kernel-gen" build "${words[@]}" --out "$scratch/package")
    fi
  done
done

printf '| seconds (of all CPUs) |'
printf ' %s |' "$(for tree in "$@"; do git -C "$tree" log -1 --format='%h of %cs'; done | paste -sd'|' | sed 's/|/ | /g')"
printf '\n|---|%s\n' "$(printf -- '---|%.0s' "$@")"
for row in "${rows[@]}"; do
  printf '| %s |' "${row%%|*}"
  for tree in "$@"; do printf ' %s |' "${cell[$tree,$row]}"; done
  printf '\n'
done
printf '\n%s, %s CPUs\n' "$(sed -n 's/^model name.*: //p' /proc/cpuinfo | head -1)" "$(nproc)"
