#!/usr/bin/env bash
# length.sh FOLDER: no file of C or C++ written by hand has more than 400 lines.
set -euo pipefail
cd "$1"
long=$(find bindings kernels runtime tools tests bench examples \( -name '*.c' -o -name '*.cc' -o -name '*.cpp' -o -name '*.h' -o -name '*.hpp' \) \
  -not -path 'tests/golden/expected/*' -exec awk 'END { if (NR > 400) print FILENAME }' {} \; | sort)
[[ -z $long ]] || { printf 'files of more than 400 lines, to be split:\n%s\n' "$long" >&2; exit 1; }
