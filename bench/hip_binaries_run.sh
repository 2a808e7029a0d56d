#!/usr/bin/env bash
# Runs programs and Debian's HIP back end of ggml on simulated GPUs, before and after they are pruned, compressed and repacked, and prints
# a table. usage: hip_binaries_run.sh KERNEL-GEN SIMULATED-HIP WORK [ROOT]
# The programs are built into WORK/hipcc and WORK/offload-compress by Debian 12's hipcc, where it is installed, and by clang 19
# (clang-19, clang-tools-19, rocm-device-libs). SIMULATED-HIP is build/release/simulated-hip. ROOT has ggml's packages with all that they
# need, unpacked with dpkg-deb -x; without it only the programs run.
set -euo pipefail
tool=$(readlink -f "$1") simulated=$(readlink -f "$2") source=$(dirname "$(readlink -f "$0")")/hip_program.hip
mkdir -p "$3"
work=$(readlink -f "$3")
root=${4:+$(readlink -f "$4")}

# What became of a command, in words. hipErrorNoBinaryForGpu is 209.
outcome() {
  local status=0
  "$@" >"$work/output" 2>&1 || status=$?
  if [[ $status == 0 ]]; then
    echo passes
  elif grep -qE 'no kernel image is available|: 209$' "$work/output"; then
    echo "no code"
  else
    echo "FAILS ($status)"
  fi
}

row() {
  local name=$1 file=$2 has=$3 lacks=$4
  shift 4
  echo "| $name | $(stat -Lc %s "$file") | $(KERNELGEN_SIMULATED_GPU=$has outcome "$@") | $(KERNELGEN_SIMULATED_GPU=$lacks outcome "$@") |"
}

# A program or library after each command; the arguments after the file, and a folder, run what is in the folder under its name.
rows() {
  local name=$1 file=$2
  shift 2
  rm -rf "$work/variants"
  mkdir -p "$work/variants/original" "$work/variants/pruned" "$work/variants/compressed"
  ln -s "$file" "$work/variants/original/"
  "$tool" prune "$file" --keep gfx90a --out "$work/variants/pruned/$(basename "$file")" >/dev/null 2>&1 || true
  "$tool" prune "$file" --keep gfx90a --compress --out "$work/variants/compressed/$(basename "$file")" >/dev/null 2>&1 || true
  mkdir "$work/variants/folder"
  ln "$file" "$work/variants/folder/" 2>/dev/null || cp "$file" "$work/variants/folder/"
  "$tool" repack "$work/variants/folder" --keep gfx90a --out "$work/variants/repacked" >/dev/null 2>&1 || true
  local variant made
  for variant in original pruned compressed repacked; do
    made=$work/variants/$variant/$(basename "$file")
    if [[ -e $made ]]; then
      row "$name, $variant" "$made" gfx90a gfx1030 "$@" "$work/variants/$variant"
    else
      echo "| $name, $variant | left as it is | | |"
    fi
  done
}

run_program() { LD_LIBRARY_PATH=$simulated:$simulated/.. timeout 600 "$1/program"; }

# ggml looks for its back ends next to the executable, which is the loader here.
run_ggml() {
  local libraries=$root/usr/lib/x86_64-linux-gnu
  cp -n "$libraries/ld-linux-x86-64.so.2" "$1/"
  ln -sf "$libraries"/ggml/backends0/libggml-cpu-*.so "$1/"
  timeout 600 "$1/ld-linux-x86-64.so.2" --library-path "$simulated:$libraries:/usr/lib/x86_64-linux-gnu:/usr/lib/llvm-19/lib" \
    "$root"/usr/libexec/x86_64-linux-gnu/ggml/test-backend-ops -b ROCm0 -o SQR
}
echo "| file | bytes | on gfx90a, which is kept | on gfx1030, which is not |"
echo "|---|---|---|---|"
targets=(--offload-arch={gfx803,gfx900,gfx906,gfx908,gfx90a,gfx1010,gfx1030})
hipcc=$work/hipcc/program offloaded=$work/offload-compress/program
mkdir -p "${hipcc%/*}" "${offloaded%/*}"
if command -v hipcc >/dev/null; then  # of Debian 12
  HIP_PLATFORM=amd hipcc "${targets[@]}" -std=c++17 -O2 "$source" -o "$hipcc"
  rows "program of hipcc $(HIP_PLATFORM=amd hipcc --version | sed -n 's/^HIP version: \([0-9.]*\).*/\1/p')" "$hipcc" run_program
fi
PATH=$(dirname "$(readlink -f "$(command -v clang++-19)")"):$PATH clang++-19 -x hip "$source" "${targets[@]}" \
  --offload-compress -O2 -o "$offloaded" --rocm-path=/usr \
  --rocm-device-lib-path=/usr/lib/x86_64-linux-gnu/amdgcn/bitcode -L"$simulated" -l:libamdhip64.so.5
rows "program of clang 19, --offload-compress" "$offloaded" run_program
if [[ -n $root ]]; then
  rows "libggml-hip.so, test-backend-ops SQR" "$(readlink -f "$root/usr/lib/x86_64-linux-gnu/ggml/backends0/libggml-hip.so")" run_ggml
fi
