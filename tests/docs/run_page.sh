#!/usr/bin/env bash
# Runs a page of the manual as its reader would, in a scratch folder:
#   run_page.sh PAGE KERNEL_GEN
# A block "```json file=PATH", or of another language, becomes that file; a block "```sh" is run, and any command that fails fails the test.
set -euo pipefail
page=$(realpath "$1") tool=$(realpath "$2")
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"
mkdir bin
ln -s "$tool" bin/kernel-gen
PATH="$scratch/bin:$PATH"

{ # -2 … 2 as float32
  printf '\x93NUMPY\x01\x00\x76\x00'
  printf '%-117s\n' "{'descr': '<f4', 'fortran_order': False, 'shape': (5,), }"
  printf '\x00\x00\x00\xc0\x00\x00\x80\xbf\x00\x00\x00\x00\x00\x00\x80\x3f\x00\x00\x00\x40'
} >x.npy

commands=0 kind='' block=''
run_block() {
  case $kind in
    *' file='*)
      mkdir -p "$(dirname "${kind#*=}")"
      printf '%s' "$block" >"${kind#*=}"
      ;;
    sh)
      while IFS= read -r line; do
        echo "$ $line"
        bash -euo pipefail -c "$line"
        commands=$((commands + 1))
      done <<<"${block%$'\n'}"
      ;;
  esac
}

inside=0
while IFS= read -r line; do
  if [[ $line == '```'* ]]; then
    if ((inside)); then
      run_block
      inside=0
    else
      kind=${line#'```'} block='' inside=1
    fi
  elif ((inside)); then
    block+=$line$'\n'
  fi
done <"$page"

((commands > 0)) || { echo "the page holds no command"; exit 1; }
echo "$commands commands ran"
