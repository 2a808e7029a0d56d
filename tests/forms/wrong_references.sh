#!/usr/bin/env bash
# wrong_references.sh KERNEL_GEN: `kernel-gen test` finds operations that are not what their references say, and says which.
set -euo pipefail
tool=$(realpath "$1")
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"
export KERNELGEN_CACHE=$scratch/cache
mkdir mine
cat >mine/wrong.json <<'END'
{"module": "wrong", "header": "elementwise/map.hpp", "operations": [
  {"op": "twice", "types": {"T": ["f32", "i32"]}, "inputs": ["x: T"], "output": "T", "expr": "x + x", "reference": "2 * x"},
  {"op": "thrice", "types": {"T": ["f32"]}, "inputs": ["x: T"], "output": "T", "expr": "x + x", "reference": "3 * x"},
  {"op": "flat", "types": {"T": ["f32"]}, "inputs": ["x: T"], "output": "T", "expr": "x", "reference": "np.reshape(x, -1)[:7]"},
  {"op": "outside", "types": {"T": ["f32"]}, "inputs": ["x: T"], "output": "T", "expr": "x", "reference": "x[x.ndim - 1, 9, 9, 9, 9, 9]"},
  {"op": "plain", "types": {"T": ["f32"]}, "inputs": ["x: T"], "output": "T", "expr": "x"}]}
END
fails() { # fails CODE COMMAND…: with that exit code, output in `out`
  local code=0
  "${@:2}" >out 2>&1 || code=$?
  [[ $code == "$1" ]] || { echo "exit code $code instead of $1 of: ${*:2}"; cat out; exit 1; }
}
says() { grep -qE -- "$1" out || { echo "does not say: $1"; cat out; exit 1; }; }

"$tool" build --quiet --manifests mine --target cpu --out package
"$tool" test twice --manifests mine --package package >out
says '^1 operation on cpu, seed 1: 24 cases, all as their references say$'
fails 1 "$tool" test --manifests mine --package package --seed 5
says '^thrice f32: case [0-9]+ of seed 5: x f32 \[.*\].*: y\[.*\] is .*; the reference gives .*, up to '
says '^flat f32: case [0-9]+ of seed 5: .*: y has shape \[.*\]; the reference gives \[[0-7]\]$'
says '^outside f32: case [0-9]+ of seed 5: .*reference: column 2: 6 indices of an array of shape '
says ': [0-9]+ of 49 cases differ$'
says '^thrice: 9 more$'
says '^without "reference": plain$'
cp out first
fails 1 "$tool" test --manifests mine --package package --seed 5
cmp out first # the same seed draws the same
fails 1 "$tool" test thrice --manifests mine --package package --cases 1 --json
says '"operation": "thrice"'
says '"ok": false'
fails 2 "$tool" test twise --manifests mine --package package
says "test: the manifests have no operation 'twise' \(did you mean 'twice'\?\)"
fails 2 "$tool" test plain --manifests mine --package package
says "test: 'plain' has no \"reference\" to be compared with"
rm mine/*
echo '{"module": "plain", "header": "elementwise/map.hpp", "operations": [
  {"op": "plain", "types": {"T": ["f32"]}, "inputs": ["x: T"], "output": "T", "expr": "x"}]}' >mine/plain.json
fails 2 "$tool" test --manifests mine
says 'test: no operation has a "reference"; one is an expression of numpy, as in '
