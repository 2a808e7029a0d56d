#!/usr/bin/env bash
# A program whose code objects were cut out or compressed runs as before: usage: shrunk_program.sh KERNEL-GEN PROGRAM FOLDER, for a
# program with code for gfx90a and gfx1100.
set -euo pipefail
tool=$1 program=$2 folder=$3
rm -rf "$folder"
mkdir -p "$folder"

fail() {
  echo "failed: $*"
  exit 1
}

run_on() { KERNELGEN_SIMULATED_GPU=$1 "$2"; }

smaller() {
  [[ $(stat -c %s "$1") -lt $(stat -c %s "$program") ]] || fail "$1 is not smaller"
}

# By whole pages, of which so small a program saves none without compression.
"$tool" prune "$program" --keep gfx90a --compress --out "$folder/pruned"
smaller "$folder/pruned"
run_on gfx90a "$folder/pruned" || fail "the pruned program does not run on gfx90a"
status=0
run_on gfx1100 "$folder/pruned" || status=$?
[[ $status == 2 ]] || fail "the pruned program finds code for gfx1100: $status"
"$tool" doctor "$folder/pruned" --target gfx90a
! "$tool" doctor "$folder/pruned" --target gfx1100 || fail "doctor says that it runs on gfx1100"

"$tool" prune "$program" --compress --out "$folder/compressed"
smaller "$folder/compressed"
for gpu in gfx90a gfx1100; do
  run_on "$gpu" "$folder/compressed" || fail "the compressed program does not run on $gpu"
done
"$tool" verify "$folder/compressed"
