#!/usr/bin/env bash
# Builds the fuzz targets with libFuzzer and sanitizers, and runs each for some seconds from its seeds:
#   libfuzzer.sh CMAKE SOURCE BUILD SECONDS TARGET...
# Exits with 77 where no clang has libFuzzer.
set -euo pipefail
cmake=$1 source=$2 build=$3 seconds=$4
shift 4
for version in 19 18 17; do
  compiler=$(command -v "clang++-$version") || continue
  [[ -f $("$compiler" -print-file-name="libclang_rt.fuzzer-$(uname -m).a") ]] && break
  compiler=
done
[[ -n ${compiler:-} ]] || { echo "skipped: no clang has libFuzzer (Debian: libclang-rt-19-dev)"; exit 77; }

# Else each exception looks through all frames that ended: three quarters of the time. Stacks of allocations take half of the rest.
export ASAN_OPTIONS=detect_stack_use_after_return=0:malloc_context_size=4:quarantine_size_mb=8${ASAN_OPTIONS:+:$ASAN_OPTIONS}

cd "$source"
"$cmake" --preset fuzz -B "$build" -DCMAKE_CXX_COMPILER="$compiler" -DCMAKE_C_COMPILER="${compiler/clang++/clang}" >/dev/null
"$cmake" --build "$build" --target kernelgen_fuzz
for name in "$@"; do
  corpus=$build/corpus/$name
  mkdir -p "$corpus"
  "$build/tests/fuzz/fuzz_$name" --write "$corpus"
  # From its seeds alone each time: what a run finds new stays in memory.
  "$build/tests/fuzz/fuzz_${name}_libfuzzer" -max_total_time="$seconds" -rss_limit_mb=2048 -seed=1 \
    -artifact_prefix="$build/crash-$name-" "$corpus" 2>"$build/$name.log" ||
    { tail -40 "$build/$name.log"; echo "error: fuzz_$name: see $build/crash-$name-*"; exit 1; }
  tail -1 "$build/$name.log"
done
