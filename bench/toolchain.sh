#!/usr/bin/env bash
# Build time, package size and start-up, and what the same costs elsewhere: prints bench/results/toolchain.md.
#   bench/toolchain.sh [TREE...]
#   bench/toolchain.sh --tool KERNEL_GEN
# Each source tree named (this one by default) is a column of the first table, and the last one's tool makes the others; a tool
# that is there already makes the others alone, with the library of its build tree where that has one (target kernelgen_c).
# Seconds are those of the clock, in brackets of all CPUs. Packages whose size is asked, and those in which something is
# changed, are made with the user's own cache first: what is measured does not depend on the time that this takes.
# HIP_PREFIX names a folder with HIP's headers and device library (include/hip, amdgcn/bitcode) where hipcc is not installed.
# shellcheck disable=SC2016  # Markdown's backquotes
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
tool=
if [[ ${1-} == --tool ]]; then
  tool=$(realpath "$2")
  set --
fi
[[ $# -gt 0 || $tool ]] || set -- "$here"
tree=${*: -1}
[[ $tool ]] && tree=$here
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
own_cache=${XDG_CACHE_HOME-$HOME/.cache}
export XDG_CACHE_HOME=$scratch/cache
eight=gfx906,gfx90a,gfx942,gfx1030,gfx1100,gfx1151,gfx1201,gfx11-generic

# measured FORMAT COMMAND...: what /usr/bin/time says of it; what the command said where it failed.
measured() {
  local format=$1
  shift
  /usr/bin/time --quiet -f "$format" -o "$scratch/time" "$@" >"$scratch/log" 2>&1 || { cat "$scratch/log" >&2; return 1; }
  cat "$scratch/time"
}
# timed COMMAND...: "wall (cpu)"
timed() { measured '%e %U %S' "$@" | awk '{ printf "%.1f (%.1f)", $1, $2 + $3 }'; }
megabytes() { awk -v b="$1" 'BEGIN { printf "%.1f MB", b / 1e6 }'; }

build_tool() {
  cmake -S "$1" -B "$scratch/build" -G Ninja -DCMAKE_BUILD_TYPE=Release -DKERNELGEN_BUILD_TESTS=OFF
  cmake --build "$scratch/build" --target kernel-gen
}
export -f build_tool
export scratch
kernel_gen=${tool:-$scratch/build/tools/kernel-gen/kernel-gen}

rows=(
  "the tool|"
  "\`exp\` for the CPU and gfx90a, cold|--only op=exp --target cpu,gfx90a"
  "every operation for gfx90a, cold|--target gfx90a"
  "every operation for gfx1100, cold|--target gfx1100"
  "every operation for two CPU targets, cold|--target cpu"
  "the same, nothing changed|--target cpu"
)
declare -A cell
for column in "$@"; do
  rm -rf "$scratch/build" "$scratch/cache"
  for row in "${rows[@]}"; do
    options=${row#*|}
    if [[ -z $options ]]; then
      cell[$column,$row]=$(timed bash -c 'build_tool "$1"' - "$column")
    else
      read -ra words <<<"$options"
      cell[$column,$row]=$(timed "$kernel_gen" build "${words[@]}" --out "$scratch/package")
    fi
  done
done

cat <<'END'
# Build time, package size and start-up

Printed by `bench/toolchain.sh`. Seconds are wall time, in brackets CPU time.

END
printf '%s, %s CPUs, %s.\n\n' "$(sed -n 's/^model name.*: //p' /proc/cpuinfo | head -1)" "$(nproc)" "$(date -u +%F)"
if (($#)); then
  printf '| |'
  printf ' %s |' "$(for column in "$@"; do git -C "$column" log -1 --format='%h of %cs'; done | paste -sd'|' | sed 's/|/ | /g')"
  printf '\n|---|%s\n' "$(printf -- '---|%.0s' "$@")"
  for row in "${rows[@]}"; do
    printf '| %s |' "${row%%|*}"
    for column in "$@"; do printf ' %s |' "${cell[$column,$row]}"; done
    printf '\n'
  done
fi

# sized GOAL OPTIONS...: bytes of a package, next to what it should have, and of each kernel and target in it.
sized() {
  local goal=$1
  shift
  XDG_CACHE_HOME=$own_cache "$kernel_gen" build "$@" --out "$scratch/sized" >"$scratch/log" 2>&1 ||
    { cat "$scratch/log" >&2; return 1; }
  local bytes kernels targets
  bytes=$(stat -c %s "$scratch/sized/kernelgen.kgpkg")
  read -r kernels targets < <(sed -n 's/.*: \([0-9]*\) kernels in .* modules, \([0-9]*\) targets.*/\1 \2/p' "$scratch/log")
  printf '%s | %s | %s B | %s |\n' "$(megabytes "$bytes")" "$goal" "$((bytes / kernels / targets))" "${goal:+700 B}"
}
# by_target: a table of what the package that was sized last has for each target, and of its tables.
by_target() {
  "$kernel_gen" inspect "$scratch/sized" --annotate | awk '
    $3 == "all" { tables = $2 }
    $3 == "blob" { target = $0; sub(/^.*blob [0-9]*: [^ ]* for /, "", target); sub(/[ ,].*/, "", target); bytes[target] += $2 }
    END {
      for (target in bytes) { names = names " | " target; line = line "---|"; kilobytes = kilobytes sprintf(" | %.0f", bytes[target] / 1e3) }
      printf "%s | tables |\n|%s---|\n%s | %.0f |\n", substr(names, 2), line, substr(kilobytes, 2), tables / 1e3
    }'
}
# Whether this tree's tool compresses.
compressed=$("$kernel_gen" build --help | grep -o -- --compress || true)

printf '\n## Size\n\n| | package | goal | a kernel and target | goal |\n|---|---|---|---|---|\n'
printf '| the default targets | %s\n' "$(sized '6.5 MB')"
by_target >"$scratch/by_target"
printf '| eight AMD targets | %s\n' "$(sized '6 MB' --target "$eight")"
if [[ $compressed ]]; then
  printf '| the default targets, `--compress none` | %s\n' "$(sized '' --compress none)"
  printf '| eight AMD targets, `--compress none` | %s\n' "$(sized '' --target "$eight" --compress none)"
fi
printf '\nBytes of the default targets, in kB:\n\n'
cat "$scratch/by_target"

# A copy of the kernels, so that this tree is not changed.
cp -r "$tree/kernels" "$tree/manifests" "$scratch"
# again OPTIONS...: seconds of a build of them, and how many objects it compiled.
again() {
  local seconds
  seconds=$(timed "$kernel_gen" build --manifests "$scratch/manifests/core" --kernels "$scratch/kernels" --json \
    --out "$scratch/changed" "$@")
  printf '%s | %s of %s' "$seconds" "$(grep -c '"state": "compiled"' "$scratch/log")" "$(grep -c '"state": ' "$scratch/log")"
}
printf '\n## What a change costs\n\n| | seconds | compiles | goal |\n|---|---|---|---|\n'
printf '| every operation for gfx90a is new | %s | |\n' "$(again --target gfx90a)"
printf '| nothing, for gfx90a | %s | |\n' "$(again --target gfx90a)"
# The default targets, of which the user's own cache has most.
XDG_CACHE_HOME=$own_cache again >"$scratch/first"
changed() { printf '| %s | %s | %s |\n' "$1" "$(XDG_CACHE_HOME=$own_cache again)" "$2"; }
changed "nothing, for the default targets" "0.1 s"
echo '// A comment.' >>"$scratch/kernels/device/math.hpp"
changed "a comment in \`device/math.hpp\`, which most kernels include" "0 compiles"
echo 'inline constexpr int unused = 0;' >>"$scratch/kernels/candle/sort.hpp"
changed "a line in \`candle/sort.hpp\`, which none of these includes" "0 compiles"
echo 'inline constexpr int unused = 0;' >>"$scratch/kernels/random/philox.hpp"
changed "a line in \`random/philox.hpp\`, which one module includes" ""
# Another each time, so that no cache knows it.
sed -i "s/\"expr\": \"silu(x)\"/\"expr\": \"silu(x * x) * $$.0f\"/" "$scratch/manifests/core/activation.json"
changed "one operation" "3 s"

# The library, where the tool's build tree has it.
if ((!$#)); then
  library=$(cd "$(dirname "$kernel_gen")/../.." && pwd)
else
  library=$scratch/build
  XDG_CACHE_HOME=$own_cache cmake --build "$library" --target kernelgen_c >"$scratch/log" 2>&1 || { cat "$scratch/log" >&2; exit 1; }
fi
if [[ -e $library/libkernelgen.so ]]; then
  cc -std=gnu11 -O2 -DBARE "$here/bench/first_use.c" -o "$scratch/bare"
  cc -std=gnu11 -O2 -I"$tree/runtime/include" -I"$tree/generated/include" -I"$library/kernels" "$here/bench/first_use.c" \
    -o "$scratch/linked" -Wl,--no-as-needed -L"$library" -lkernelgen -Wl,-rpath,"$library"
  bare=$("$scratch/bare" spawn 500 "$scratch/bare")
  linked=$("$scratch/bare" spawn 500 "$scratch/linked")
  read -r mean most name count opening < <("$scratch/linked" families cpu)
  printf '\n## Cost for a process\n\nMilliseconds of the CPU.\n\n| | ms | goal |\n|---|---|---|\n'
  printf '| start-up with libkernelgen.so, beyond that without (%s) | %s | 1 |\n' "$bare" \
    "$(awk -v a="$linked" -v b="$bare" 'BEGIN { printf "%.2f", a - b }')"
  printf '| opening the embedded package: decoding its tables, validating all of it | %s | |\n' "$opening"
  printf '| first use of a module on the CPU: decoding, checking, loading; maximum of %s (`%s`) | %s | 5 |\n' "$count" "$name" "$most"
  printf '| the same, mean | %s | |\n' "$mean"
fi

printf '\n## Compared with others\n\n| | kernel-gen | goal | |\n|---|---|---|---|\n'
# ours LABEL PEER OPTIONS...: a row; seconds of our build and of the peer's command, with what each made.
count_kernels() { sed -n 's/.*: \([0-9]*\) kernels\? in .*/\1/p' "$scratch/log"; }
ours() {
  local seconds
  seconds=$(timed "$kernel_gen" build "$@" --no-cache --jobs 1 --out "$scratch/beside")
  printf '%s s, %s kernels' "$seconds" "$(count_kernels)"
}
operations=(exp log sin cos sqrt tanh erf abs)
list=$(IFS=,; echo "${operations[*]}")

hip=()
if command -v hipcc >/dev/null; then
  hip=(hipcc)
elif [[ ${HIP_PREFIX-} ]]; then
  hip=(clang++-19 -x hip --rocm-path="$HIP_PREFIX")
fi
hip_each() {
  for op in "${operations[@]}"; do
    "${hip[@]}" --offload-arch=gfx90a --cuda-device-only --no-gpu-bundle-output -O3 -w "-DOP=$op" -c \
      "$here/bench/peers/unary.hip" -o "$scratch/$op.o" || return
  done
}
# abs of a float is fabs in C.
if ((${#hip[@]})); then
  operations=("${operations[@]/#abs/fabs}")
  TIMEFORMAT='%R %U %S'
  seconds=$({ time hip_each >"$scratch/log" 2>&1; } 2>&1) || { cat "$scratch/log" >&2; exit 1; }
  printf '| eight operations for gfx90a | %s | | %s s, 48 kernels, by `%s`, one file per operation |\n' \
    "$(ours --only "op=$list" --target gfx90a)" "$(awk '{ printf "%.1f (%.1f)", $1, $2 + $3 }' <<<"$seconds")" \
    "${hip[0]}${hip[1]:+ -x hip}"
fi
if command -v nvcc >/dev/null; then
  printf '| eight operations as PTX | %s | | %s s, 24 kernels, by `nvcc` of a file as candle has them |\n' \
    "$(ours --only "op=$list" --target compute_80)" \
    "$(timed nvcc -O3 -std=c++17 -ptx -arch=sm_80 "$here/bench/peers/unary.cu" -o "$scratch/unary.ptx")"
fi

head -c 10000000 /dev/urandom >"$scratch/ten.bin"
printf '.section .rodata\n.globl ten\nten: .incbin "%s"\n' "$scratch/ten.bin" >"$scratch/ten.S"
(cd "$scratch" && od -An -v -tx1 ten.bin | awk 'BEGIN { print "const unsigned char ten[] = {" }
  { gsub(/ /, ",0x"); print substr($0, 2) "," } END { print "};" }' >ten.c)
embedded() { measured '%e %U %S %M' cc -c "$1" -o "$scratch/ten.o" | awk '{ printf "%.2f (%.2f) s, %.0f MB", $1, $2 + $3, $4 / 1e3 }'; }
printf '| 10 MB into a program | %s, by `.incbin` | 0.1 s, 50 MB | %s, by numbers in a C array, as MLX has its kernels |\n' \
  "$(embedded "$scratch/ten.S")" "$(embedded "$scratch/ten.c")"
