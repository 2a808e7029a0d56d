#!/usr/bin/env bash
# manual.sh BUILD_FOLDER: the manual can be written, every public name in it says what it is, and no link in it is dead. Members
# of structs and classes may be silent: many say all by name and type; so may package_format.h, of which docs/package.md
# tells. Exits with 77 where Doxygen is not installed.
set -euo pipefail
manual=$1/manual
[[ -e $manual/Doxyfile ]] || { echo "skipped: no doxygen"; exit 77; }
cmake --build "$1" --target manual >/dev/null
if grep -v 'Member .* of \(struct\|class\) .* is not documented\|package_format.h:.* is not documented' "$manual/warnings"; then
  exit 1
fi
for page in index python rust kernels; do
  ls "$manual"/html/*"$page"*.html >/dev/null
done
