#!/usr/bin/env bash
# Compares what we declare of a vendor's library with its headers, by the compiler:
#   compare.sh COMPILER REPOSITORY PART HEADER
# PART.cpp is compiled against each prefix that has HEADER: those that KERNELGEN_VENDOR_HEADERS lists, with colons between, of
# installs or of packages that were unpacked (`dpkg-deb -x PACKAGE.deb PREFIX`); without it the usual places. Exits with 77
# where none has it.
set -euo pipefail
compiler=$1 repository=$2 part=$3 header=$4
IFS=: read -ra prefixes <<<"${KERNELGEN_VENDOR_HEADERS:-/usr:/opt/rocm:/usr/local/cuda}"
compared=0
for prefix in "${prefixes[@]}"; do
  for folder in "$prefix/include" "$prefix/include/x86_64-linux-gnu" "$prefix/usr/include"; do
    [[ -e $folder/$header ]] || continue
    echo "$part: $folder/$header"
    flags=(-isystem "$folder")
    # The compiler orders its default folders itself.
    [[ $folder == /usr/include* ]] && flags=()
    "$compiler" -std=c++20 -fsyntax-only -Wall -Wextra -Werror -Wno-deprecated-declarations "${flags[@]}" \
      -I "$repository/runtime/src" -I "$repository/runtime/include" -I "$repository/tests/headers" \
      "$repository/tests/headers/$part.cpp"
    compared=$((compared + 1))
  done
done
if ((compared == 0)); then
  echo "skipped: no $header below ${prefixes[*]}; KERNELGEN_VENDOR_HEADERS names other prefixes"
  exit 77
fi
