#!/usr/bin/env bash
# watch.sh KERNEL_GEN SCRATCH: `kernel-gen watch` sees a change, an error and its correction, and ends by itself and by Ctrl-C.
set -euo pipefail
tool=$1 scratch=$2
rm -rf "$scratch"
mkdir -p "$scratch/mine"
cd "$scratch"
export KERNELGEN_CACHE=$scratch/cache

manifest() { # manifest EXPRESSION [MODULE]: saved as editors do
  printf '{"module": "%s", "header": "elementwise/map.hpp", "operations": [
  {"op": "op_%s", "types": {"T": ["f32"]}, "inputs": ["x: T"], "output": "T", "expr": "%s"}]}\n' \
    "${2:-one}" "${2:-one}" "$1" >.new
  mv .new "mine/${2:-one}.json"
}
wait_for() { # wait_for COUNT TEXT FILE: until the text is there so many times
  for ((i = 0; i < 3000; ++i)); do # five minutes, on busy machines
    [[ $(grep -acF -- "$2" "$3" 2>/dev/null || true) -lt $1 ]] || return 0
    sleep 0.1
  done
  echo "waited for '$2' in $3:"
  cat "$3" || true
  exit 1
}
watch() { # what runs in the background ignores Ctrl-C, unless told otherwise
  exec env --default-signal=INT "$tool" watch --manifests mine --target cpu-x86-64-v3 --interval 20 "$@"
}

manifest 'x * x'
watch --out package --rounds 3 >out 2>err &
watched=$!
wait_for 1 'watching ' out
touch mine/.one.json.swp mine/one.json~ # of editors
manifest 'exp(x)'
wait_for 2 'watching ' out
grep -qx 'mine/one.json changed' out
grep -q '^package: ' out
[[ ! -s err ]]
cp package/kernelgen.kgpkg good.kgpkg
manifest 'nothing(x)'
wait_for 1 "mine/one.json: /operations/0/expr" err
wait_for 3 'watching ' out
cmp good.kgpkg package/kernelgen.kgpkg
manifest 'exp(x)'
wait $watched

# Comparisons as JSON. The exit code is that of the last build.
watch --out second --rounds 2 --json >out.json 2>err &
watched=$!
wait_for 1 KGENPKG second/kernelgen.kgpkg
manifest 'x + 1.0f' two
wait_for 1 '"kg_op_two_f32"' out.json
rm mine/*.json
code=0
wait $watched || code=$?
[[ $code == 1 ]]

# In a file of its own: the text is in `out` before the program has replaced it.
manifest 'x'
watch --out package >ended 2>err &
watched=$!
wait_for 1 'watching ' ended
kill -INT $watched
wait $watched
[[ ! -s err ]]
