#!/usr/bin/env bash
# suite.sh CANNOT_PASS LOG COMMAND...: runs the tests that cargo's COMMAND runs, in the workspace of the current folder. Those
# that fail must be those of the list, with a reason each; a test of the list that passes, or that candle does not have, is
# an error too.
set -euo pipefail
list=$1 log=$2
shift 2
status=0
"$@" >"$log" 2>&1 || status=$?
times >"$log.times"

# "program test result" of each test.
awk '
  /^ +Running / { program = $NF; gsub(/^.*\/|-[0-9a-f]+\)$/, "", program) }
  /^test .* \.\.\. / { print program, $2, $NF }
' "$log" >"$log.results"
count() { grep -c " $1\$" "$log.results" || true; }
# The second line is that of programs that were waited for: "4m10.265s 0m16.845s".
seconds=$(awk -F'[ms ]+' 'NR == 2 { printf "%d", 60 * ($1 + $3) + $2 + $4 }' "$log.times")
echo "$(count ok) passed, $(count FAILED) failed, $(count ignored) ignored on $KERNELGEN_DEVICE in $seconds CPU seconds"
if ! grep -q ' ok$' "$log.results"; then
  tail -n 60 "$log"
  echo "error: no test ran"
  exit 1
fi

failed=$(sed -n 's/ FAILED$//p' "$log.results" | sort)
elsewhere='^#'
[[ $KERNELGEN_DEVICE != cpu* ]] || elsewhere='^#|^[^:]* on GPUs:'
listed=$(grep -vE "$elsewhere" "$list" | sed 's/: .*//; s/ on GPUs$//' | sort)
echo "tests that cannot pass:"
grep -vE "$elsewhere" "$list" | sed 's/^/  /'
errors=0
for test in unlisted passing; do
  if [[ $test == unlisted ]]; then
    wrong=$(comm -23 <(echo "$failed") <(echo "$listed")) text="failed"
  else
    wrong=$(comm -13 <(echo "$failed") <(echo "$listed")) text="is in ${list##*/} and did not fail"
  fi
  [[ -n $wrong ]] || continue
  errors=1
  while IFS= read -r each; do echo "error: $each $text"; done <<<"$wrong"
done
# A program that ends by a signal reports no tests.
if grep -q 'signal: ' "$log"; then
  grep -B2 'signal: ' "$log"
  echo "error: a program of tests was ended by a signal"
  errors=1
fi
if ((errors == 0 && status != 0)) && [[ -z $failed ]]; then
  tail -n 60 "$log"
  echo "error: cargo test exits with $status"
  errors=1
fi
((errors == 0)) || { sed -n '/^failures:$/,/^test result/p' "$log" | head -400; exit 1; }
