#!/usr/bin/env bash
# Builds on a file system that is really full, with this and that much room, say so and leave what was there:
#   full_disk.sh KERNEL_GEN FOLDER
# Run again by itself, as the root of a namespace with a small tmpfs on FOLDER.
set -euo pipefail
tool=$1 folder=$2
if [[ ${3:-} != mounted ]]; then
  rm -rf "$folder"
  mkdir -p "$folder"
  unshare --mount --map-root-user mount -t tmpfs -o size=64k none "$folder" 2>/dev/null ||
    { echo "no file system can be mounted here"; exit 77; }
  exec unshare --mount --map-root-user "$0" "$tool" "$folder" mounted
fi
mount -t tmpfs -o size=16m none "$folder"
cd "$folder"
said=$folder.said
export KERNELGEN_CACHE=$PWD/cache

build() { "$tool" build --target "$1" --only op=neg --only dtype=f32 --quiet --out package >/dev/null 2>"$said"; }
free() { df --output=avail -k . | tail -1; }
sums() { (cd package && sha256sum ./*); }
build cpu-x86-64-v3
sums >former
build gfx90a
sums >wanted
failures=0
for room in 0 4 16 40 64 96 128 160 200 256 400; do
  rm -rf package cache ballast
  build cpu-x86-64-v3
  head -c $((($(free) - room) * 1024)) /dev/zero >ballast
  if build gfx90a; then
    sums | cmp - wanted
    break
  fi
  failures=$((failures + 1))
  grep -qF 'No space left on device' "$said" || { echo "error: with $room KiB of room:"; cat "$said"; exit 1; }
  grep -qE "$folder|package" "$said" || { echo "error: no file is named:"; cat "$said"; exit 1; }
  rm ballast
  sums | cmp - former
  [[ $(ls -A) == $'cache\nformer\npackage\nwanted' ]] || { echo "error: left behind: $(ls -A)"; exit 1; }
  build gfx90a || { cat "$said"; exit 1; }
  sums | cmp - wanted
done
((failures >= 3)) || { echo "error: only $failures builds lacked room"; exit 1; }
echo "$failures builds without room"
