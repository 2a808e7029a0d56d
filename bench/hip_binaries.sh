#!/usr/bin/env bash
# Prints bench/results/hip_binaries.md: what `kernel-gen ls`, `prune` and `repack` make of libraries with code for AMD GPUs.
# usage: hip_binaries.sh KERNEL-GEN WORK [FILE|FOLDER...]; WORK is a folder for what is written. Without files, Debian's libraries are
# downloaded there, with a separate apt configuration; nothing is installed.
set -euo pipefail
tool=$(readlink -f "$1")
mkdir -p "$2"
work=$(readlink -f "$2")
shift 2
gpu=gfx1100

fetch() {
  local apt="$work/apt"
  mkdir -p "$apt"/{lists/partial,cache/archives/partial,state} "$work/root"
  touch "$apt/state/status"
  echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] http://deb.debian.org/debian sid main" >"$apt/sources.list"
  cat >"$apt/apt.conf" <<END
Dir::State "$apt/state";
Dir::State::lists "$apt/lists";
Dir::State::status "$apt/state/status";
Dir::Cache "$apt/cache";
Dir::Etc::sourcelist "$apt/sources.list";
Dir::Etc::sourceparts "-";
END
  export APT_CONFIG="$apt/apt.conf"
  apt-get -qq update
  for package in libggml0-backend-hip librocblas4 librocfft0 librccl1 libmiopen1; do
    (cd "$work" && apt-get -qq download "$package" && dpkg-deb -x "$package"_*.deb "root/$package" && rm "$package"_*.deb)
  done
}

if [[ $# == 0 ]]; then
  [[ -d $work/root ]] || fetch
  lib=usr/lib/x86_64-linux-gnu
  set -- "$work/root/libggml0-backend-hip/$lib/ggml/backends0/libggml-hip.so" "$work"/root/librocblas4/$lib/librocblas.so.4.* \
    "$work/root/librocblas4/$lib/rocblas" "$work"/root/librocfft0/$lib/librocfft.so.0.* "$work"/root/librccl1/$lib/librccl.so.1.*
fi

bytes() { du -sb --apparent-size "$1" | cut -f 1; }

# Seconds of the processor, in the program and in the system, and resident KiB of a command, whose output goes to a file.
timed() {
  local output=$1
  shift
  /usr/bin/time -f '%U %S %M' -o "$work/time" "$@" >"$output" 2>"$work/errors" || true
  cat "$work/time"
}

# A folder is repacked, a file is pruned.
shrunk() {
  local from=$1 to=$work/out
  shift
  rm -rf "$to"
  if [[ -d $from ]]; then
    "$tool" repack "$from" "$@" --out "$to" >/dev/null 2>"$work/errors" || true
  else
    "$tool" prune "$from" "$@" --out "$to" >/dev/null 2>"$work/errors" || true
  fi
  if [[ -e $to ]]; then bytes "$to"; else echo "refused"; fi
}

echo "# HIP binaries of Debian"
echo
echo "Printed by \`bench/hip_binaries.sh\` on $(date +%Y-%m-%d). Sizes in bytes; seconds of the"
echo "processor and resident MiB are those of \`kernel-gen ls\`. Files in which a bundle could not be moved say refused."
echo
echo "| file | bytes | GPUs | code objects | kernels | s | MiB | \`--keep $gpu\` | \`--keep $gpu --compress\` |"
echo "|---|---|---|---|---|---|---|---|---|"
for file in "$@"; do
  read -r user system kib < <(timed "$work/list.json" "$tool" ls "$file" --json)
  counts=$(python3 - "$work/list.json" <<'END'
import json, sys
codes = json.load(open(sys.argv[1]))["code_objects"]
print(len({code["target"] for code in codes}), len(codes), sum(code["kernels"] for code in codes))
END
  )
  read -r gpus objects kernels <<<"$counts"
  echo "| $(basename "$file") | $(bytes "$file") | $gpus | $objects | $kernels | $(python3 -c "print(f'{$user + $system:.2f}')") | $((kib / 1024)) |" \
    "$(shrunk "$file" --keep "$gpu") | $(shrunk "$file" --keep "$gpu" --compress) |"
done
