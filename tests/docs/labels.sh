#!/usr/bin/env bash
# The labels that the tests of a build have are those in the table of a page:
#   labels.sh CTEST BUILD_FOLDER PAGE
# Exits with 77 where some tests are not built: their labels are not known.
set -euo pipefail
if [[ $("$1" --test-dir "$2" --show-only 2>&1) == *_NOT_BUILT* ]]; then
  echo "skipped: not all tests of $2 are built"
  exit 77
fi
real=$("$1" --test-dir "$2" --print-labels | sed -n 's/^  //p' | sort)
stated=$(sed -n 's/^| \([a-z-]*\) | .*/\1/p' "$3" | grep -vx label | sort)
[[ -n $real ]] || { echo "the build in $2 has no labels"; exit 1; }
diff --label "labels of the tests" --label "labels in $3" --unified <(echo "$real") <(echo "$stated")
