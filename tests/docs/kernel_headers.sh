#!/usr/bin/env bash
# usage: kernel_headers.sh KERNELS PAGE
# The page has one section per folder of KERNELS, whose heading ends in `FOLDER/`, and names its headers there. Fails for a
# header that is not named there, and for a name without a header.
set -euo pipefail
kernels=$1 page=$2 wrong=0

# section HEADING: the names of headers from that heading to the next
section() {
  awk -v heading="$1" '/^## / { inside = index($0, heading) > 0 } inside' "$page" |
    grep -oP '\x60\K[a-z0-9_]+\.hpp(?=\x60)' | sort -u
}

while read -r folder; do
  heading="\`$(basename "$folder")/\`"
  named=$(section "$heading") || { echo "$page: no section '$heading' with headers of $folder"; exit 1; }
  there=$(find "$folder" -maxdepth 1 -name '*.hpp' -printf '%f\n' | sort)
  while read -r mark name; do
    wrong=1
    [ "$mark" = named ] && echo "$page: '$heading' names $name, which $folder does not have" ||
      echo "$page: '$heading' does not name $name of $folder"
  done < <(comm -3 --output-delimiter=: <(echo "$named") <(echo "$there") |
    sed -e 's/^:/there /' -e t -e 's/^/named /')
done < <(find "$kernels" -mindepth 1 -type d)
exit $wrong
