#!/usr/bin/env bash
# Every command has a page, which man and mandoc read without a complaint, and which says all that --help does:
#   manual.sh KERNEL_GEN
set -euo pipefail
tool=$1
command -v mandoc >/dev/null || { echo "mandoc is not installed"; exit 77; }
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
"$tool" man --all --out "$scratch"

# A page without a date is the same page every day.
complaints=$(mandoc -T lint -W warning "$scratch"/*.1 | grep -v 'missing date' || true)
[[ -z $complaints ]] || { echo "$complaints"; exit 1; }
if command -v man >/dev/null; then
  for page in "$scratch"/*.1; do
    complaints=$(LC_ALL=C man --warnings -l "$page" 2>&1 >/dev/null)
    [[ -z $complaints ]] || { echo "$page: $complaints"; exit 1; }
  done
fi

commands=0
while read -r name; do
  page=$scratch/kernel-gen-$name.1
  [[ -s $page ]] || { echo "$name has no page"; exit 1; }
  cmp "$page" <("$tool" man "$name")
  text=$(mandoc -T utf8 "$page" | sed 's/.\x08//g')
  while read -r option; do
    grep -qF -e "$option" <<<"$text" || { echo "the page of $name lacks $option"; exit 1; }
  done < <("$tool" "$name" --help | grep -oE '^  (-[a-z],)?--[a-z-]+' | grep -oE -e '--[a-z-]+')
  commands=$((commands + 1))
done < <("$tool" --help | sed -n 's/^  \([a-z]\+\)  .*/\1/p')
((commands > 10)) || { echo "only $commands commands were found"; exit 1; }
echo "$commands pages"
