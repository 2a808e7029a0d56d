#!/bin/bash
# bench.sh KERNEL-GEN PACKAGE SMALL FOLDER: `kernel-gen bench` counts on a simulated gfx90a what PACKAGE launches, and `report`
# shows it. SMALL has a few of these kernels: a report of all of them takes half a minute.
set -euo pipefail
readonly gpu=gfx90a
rm -rf "$4"
mkdir -p "$4"
"$1" bench --device "simulated:$gpu" --package "$2" --filter "softmax f16" --json "$4/counts.json" | tee "$4/table"
limit='(memory|valu|l1|lds)'
grep -Eq "^ +1 +[0-9]+\.[0-9]+ +$limit +[1-9][0-9]* .* softmax f16 \[[0-9]+, [0-9]+\]" "$4/table"
grep -q '"bound_us": ' "$4/counts.json"
"$1" report "$3" --launches "$4/counts.json" --out "$4/report.html"
# The last columns of the kernel's row: one launch, its bound, what that is by.
grep -Eq "\"kg_softmax_f16_[a-z_]+\",\"[a-z.]+\",\"$gpu\",[^]]*,1,[0-9.]+,\"$limit\",[1-9][0-9.]*," "$4/report.html"
if "$1" bench --device "simulated:$gpu" --package "$2" --suite launch 2>"$4/refused"; then exit 1; fi
grep -q "simulated:$gpu has no clock" "$4/refused"
