#!/usr/bin/env bash
# page_section.sh PAGE SECTION PREFIX SCRATCH PROGRAM LINE: writes the files that a page of the manual shows, its blocks
# "```LANGUAGE file=PATH", runs the commands of one section with the install tree in PREFIX, and looks for LINE in what they
# print. Exits with 77 where PROGRAM is not installed.
set -euo pipefail
page=$1 section=$2 prefix=$3 scratch=$4 program=$5 line=$6
command -v "$program" >/dev/null || { echo "skipped: no $program on PATH"; exit 77; }

rm -rf "$scratch"
mkdir -p "$scratch"
cd "$scratch"
PATH=$prefix/bin:$PATH PKG_CONFIG_PATH=$(dirname "$(find "$prefix" -name kernelgen.pc)") CMAKE_PREFIX_PATH=$prefix
export PATH PKG_CONFIG_PATH CMAKE_PREFIX_PATH
awk -v section="$section" '
  /^## / { here = substr($0, 4) }
  /^```/ {
    inside = !inside
    file = ""
    if (inside && match($0, / file=/)) file = substr($0, RSTART + 6)
    else if (inside && $0 == "```sh" && here == section) file = "commands"
    next
  }
  file != "" { print > file }' "$page"
bash -euxo pipefail commands | tee printed
grep -qxF -- "$line" printed || { echo "no line: $line"; exit 1; }
