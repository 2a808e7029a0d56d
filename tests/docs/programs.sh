#!/usr/bin/env bash
# Writes the programs of a page, its blocks "```cpp file=NAME", into a folder, where they changed, and prints their names:
#   programs.sh PAGE FOLDER
set -euo pipefail
mkdir -p "$2"
awk -v folder="$2" '
  /^```cpp file=/ { name = substr($0, 13); file = folder "/" name ".new"; print name; printf "" > file; next }
  /^```/ { file = "" }
  file != "" { print > file }' "$1"
for new in "$2"/*.new; do
  cmp -s "$new" "${new%.new}" || cp "$new" "${new%.new}"
  rm "$new"
done
