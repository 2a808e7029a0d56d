#!/usr/bin/env bash
# The errors of f32 functions that a page states are those that a test asserts:
#   accuracy.sh TEST_SOURCE PAGE
set -euo pipefail
number='[0-9.e-]*'
asserted=$(grep -o "{\"[a-z0-9_]*\", $number, $number, $number}" "$1" | tr -d '{}",' | sort)
stated=$(sed -n "s/^| \([a-z0-9_]*\) | \($number\) | \($number\) | \($number\) |$/\1 \2 \3 \4/p" "$2" | sort)
[[ -n $asserted ]] || { echo "$1 asserts nothing"; exit 1; }
diff --label "$1" --label "$2" --unified <(echo "$asserted") <(echo "$stated")
