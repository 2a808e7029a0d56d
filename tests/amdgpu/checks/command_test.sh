#!/bin/bash
# command_test.sh KERNEL-GEN FOLDER: `kernel-gen check` with kernels of wrong.hip and right.hip, which are in FOLDER.
set -u
tool=$1
folder=$2
failed=0

# expect NAME EXIT-CODE PATTERN ARGUMENTS...: the output has the pattern.
expect() {
  local name=$1 code=$2 pattern=$3
  shift 3
  local output
  output=$("$tool" check "$@" 2>&1)
  local got=$?
  if [[ $got != "$code" ]] || ! tr '\n' ' ' <<<"$output" | grep -qE -- "$pattern"; then
    printf '%s: exit code %s, wanted %s with "%s":\n%s\n' "$name" "$got" "$code" "$pattern" "$output"
    failed=1
  fi
}

arguments=(--grid 2 --block 128 --arg buffer=1024 --arg random=1024 --arg zeros=1024 --arg u32=256)
for gpu in gfx90a gfx1100; do
  expect "a race on $gpu" 1 "race: .*kernel 'missing_barrier'.*wrong.hip:[0-9]+.*1 problem" \
    --gpu $gpu --kernel missing_barrier "${arguments[@]}" "$folder/checks_wrong_$gpu.hsaco"
  expect "json on $gpu" 1 '"kind": "uninitialized"' \
    --gpu $gpu --json --kernel uninitialized_global "${arguments[@]}" "$folder/checks_wrong_$gpu.hsaco"
  expect "a right kernel on $gpu" 0 "$gpu: no problem found" \
    --gpu $gpu --kernel neighbours "${arguments[@]}" "$folder/checks_right_$gpu.hsaco"
done
expect 'natural alignment' 1 'misaligned: ' --natural-alignment --kernel load_at_an_odd_address "${arguments[@]}" \
  "$folder/checks_wrong_gfx90a.hsaco"
expect 'a program' 0 'out of the program.*no problem found' echo out of the program
expect 'a program that fails' 1 'exit code 3' bash -c 'exit 3'
expect 'no program' 2 'name a program'
expect 'a kernel that is not there' 2 "has no kernel 'nothing'" --kernel nothing "$folder/checks_right_gfx90a.hsaco"
expect 'an argument of no type' 2 "--arg f16=1: not i32" --kernel copy_all --arg f16=1 "$folder/checks_right_gfx90a.hsaco"
exit $failed
