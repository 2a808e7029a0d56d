#!/usr/bin/env bash
# tune.sh KERNEL_GEN SIMULATOR SCRATCH: `kernel-gen tune` finds the constant that costs least on the CPU and on simulated GPUs, and
# changes nothing of the manifest but that constant's table.
set -euo pipefail
tool=$1 scratch=$3
export KERNELGEN_SIMULATOR_LIBRARY=$2
rm -rf "$scratch"
mkdir -p "$scratch/manifests" "$scratch/kernels"
cd "$scratch"
export KERNELGEN_CACHE=$scratch/cache

cat >kernels/work.hpp <<'EOF'
#pragma once
#include "elementwise/map.hpp"
#include "engines/grid_stride.hpp"

/// y = x / 2, after ROUNDS - 1 steps that change nothing but take time.
template <int ROUNDS, class T>
KG_DEVICE void halve(const T* x, T* y, kg::i64 n) {
  kg::for_each_index(static_cast<kg::u64>(n), [&](kg::u64 i) {
    auto value = kg::widen(x[i]);
#pragma unroll 1
    for (int round = 1; round < ROUNDS; ++round) value = value / (1 + value * 0);
    y[i] = kg::convert<T>(value / 2);
  });
}
EOF
cat >manifests/work.json <<'EOF'
{
  "module": "work",   "doc": "é, and  blanks that stay",
  "header": "work.hpp",
  "operations": [
    {"op": "other", "types": {"T": ["f32"]}, "inputs": ["x: T"], "output": "T", "expr": "x"},
    {"op": "halve", "types": {"T": ["f16", "f32"]}, "inputs": ["x: T"],
     "reference": {"expr": "x / 2", "draw": {"x": "[n, 2 * n]"}},
     "body": {
       "constants": {"ROUNDS": {"default": 200, "try": [200, 1, 50]},
                     "SIZE": 7},
       "numbers": ["n = size(x)"],
       "outputs": ["y: T = [x]"],
       "launches": [{"call": "halve<ROUNDS>(x, y, n)", "grid": "cpu ? units : ceil_div(n, threads)", "if": "SIZE == 7"}]
     }}
  ]
}
EOF
cp manifests/work.json first.json

expected=first.json
for device in cpu simulated:gfx90a simulated:gfx1100; do
  target=${device#*:}
  "$tool" tune halve --device "$device" --cases 2 --seed 3 >out
  grep -qx "manifests/work.json: $target: ROUNDS 1 in place of 200" out
  grep '^case 2 of 2: x f' out | tr -d '[],' | awk '{exit !($8 == 2 * $7)}' # as "draw" says
  sed "s/\\(\"try\": \\[200, 1, 50\\].*\\)}/\\1, \"$target\": 1}/" "$expected" >wanted.json
  cmp wanted.json manifests/work.json
  cp manifests/work.json "now-$target.json"
  expected=now-$target.json
done

# Again: nothing is better.
"$tool" tune halve --manifest manifests/work.json --kernels kernels --device simulated:gfx90a --cases 1 --json >out
grep -q '"changed": false' out
grep -q '"measured": "bound"' out
cmp "$expected" manifests/work.json
"$tool" build --manifests manifests --kernels kernels --target gfx90a --out package --quiet

refuses() { # refuses TEXT ARGUMENTS…
  local text=$1
  shift
  if "$tool" "$@" >out 2>err; then
    echo "not refused: $*"
    exit 1
  fi
  grep -qF -- "$text" err || { cat err; exit 1; }
}
refuses "/operations/0: other declares no values to try: give constants of its body a list" tune other
refuses "there is no operation 'halv' (did you mean 'halve'?)" tune halv
sed 's/\[200, 1, 50\]/[200]/' first.json >single.json
refuses "needs two values or more" tune halve --manifest single.json
mkdir wrong
sed 's/"try"/"gfx90b": 3, "try"/' first.json >wrong/work.json
refuses "/operations/1/body/constants/ROUNDS/gfx90b: no target is called 'gfx90b'; there are cpu, gfx10-1-generic, " \
  build --manifests wrong --kernels kernels --target cpu --out none
grep -qF "(did you mean 'gfx90" err
cmp "$expected" manifests/work.json
