#!/usr/bin/env bash
# Every relative link of every page leads to a file of the tree, and where it names a heading, to one of that page.
#   links.sh FOLDER
set -euo pipefail
cd "$1"

# The anchors that a page's headings have on the usual hosts.
anchors() { sed -n 's/^#\+ //p' "$1" | tr '[:upper:]' '[:lower:]' | sed 's/[^a-z0-9 _-]//g; s/ /-/g'; }

links=0 broken=0
while IFS= read -r found; do
  page=${found%%:*} link=${found#*:\](}
  link=${link%)}
  [[ $link != *://* ]] || continue
  links=$((links + 1))
  target=$page
  [[ $link == '#'* ]] || target=$(dirname "$page")/${link%%#*}
  if [[ ! -e $target ]]; then
    echo "$page: no file for the link $link"
    broken=$((broken + 1))
  elif [[ $link == *'#'* ]] && ! anchors "$target" | grep -qxF "${link#*#}"; then
    echo "$page: no heading for the link $link"
    broken=$((broken + 1))
  fi
done < <(grep -roH --include='*.md' --exclude-dir=build --exclude-dir='.[a-z]*' '\]([^) ]*)' .)

echo "$links links, $broken broken"
((links > 0 && broken == 0))
