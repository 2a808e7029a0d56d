#!/usr/bin/env bash
# ninja shows what a compiler says of a compile that succeeds: of the shipped kernels, nothing. The commands of a plan for the
# CPU, whose engines are the largest, are run without making code:
#   kernel_warnings.sh KERNEL_GEN SOURCE FOLDER
set -euo pipefail
tool=$1 source=$2 folder=$3
rm -rf "$folder"
mkdir -p "$folder"
KERNELGEN_CACHE=$folder/cache "$tool" plan --manifests "$source/manifests/core" --kernels "$source/kernels" \
  --only op=attention,sum,softmax,cumsum,sort --target cpu-x86-64-v3 --ninja "$folder/build.ninja" --out "$folder/package" --quiet
count=0
while IFS= read -r command; do
  said=$(bash -c "${command/ -c / -c -fsyntax-only }" 2>&1)
  [[ -z $said ]] || { echo "$said"; exit 1; }
  count=$((count + 1))
done < <(sed -n 's/^  run = \(.* -c -x .*\)/\1/p' "$folder/build.ninja")
((count > 0)) || { echo "the plan has no compile"; exit 1; }
echo "$count compiles without a word"
