#!/usr/bin/env bash
# shares.sh TOOL PACKAGE: operations on the CPU reach a share of memcpy's bytes per second, both timed in turns in one run. The
# bounds are about a third of what a quiet machine gives (bench/results/cpu.md): they catch a loop that is not vectorized
# or a thread pool that does not start, not a regression of a tenth.
set -euo pipefail
table=$("$1" bench --device cpu --package "$2" --cases "$(dirname "${BASH_SOURCE[0]}")/cases.json" --repetitions 9)
echo "$table"
echo "$table" | awk '
  BEGIN { least["copy f32"] = 0.5; least["exp f32"] = 0.4; least["add f32"] = 0.4; least["sum rows f32"] = 0.35
          least["softmax f32"] = 0.25 }
  {
    name = substr($0, 1, 28); sub(/ +$/, "", name)
    if (!(name in least)) next
    seen++
    if ($NF < least[name]) { print name ": share " $NF ", expected at least " least[name]; slow = 1 }
  }
  END { if (seen != length(least)) { print seen " of " length(least) " rows were timed"; slow = 1 } exit slow }'
