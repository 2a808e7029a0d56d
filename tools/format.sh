#!/usr/bin/env bash
# Formats the C and C++ files of the tree in the style of .clang-format, in which kernel-gen writes its headers and sources
# in generated/ too. With --check changes nothing, prints what would change and exits with 1. Exits with 77 without the
# version of clang-format that the tree is formatted with; any other would change lines that nobody touched.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
formatter=clang-format-19
command -v "$formatter" >/dev/null || { echo "skipped: no $formatter on PATH"; exit 77; }

action=(-i)
[[ ${1-} != --check ]] || action=(--dry-run -Werror)
find bench bindings examples generated kernels runtime tests tools -path tests/golden/expected -prune -o \
  \( -name '*.c' -o -name '*.cc' -o -name '*.cpp' -o -name '*.h' -o -name '*.hpp' \) -print0 |
  xargs -0 -n 64 -P "$(nproc)" "$formatter" "${action[@]}"
