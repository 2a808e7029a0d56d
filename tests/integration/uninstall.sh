#!/usr/bin/env bash
# uninstall.sh CMAKE BUILD PREFIX: what `cmake --install` writes is removed by the uninstall target's script, and nothing else.
set -euo pipefail
cmake=$1 build=$2 prefix=$3
rm -rf "$prefix"
mkdir -p "$prefix/bin" "$prefix/share/kernelgen"
touch "$prefix/bin/foreign" "$prefix/share/kernelgen/notes.txt"
"$cmake" --install "$build" --prefix "$prefix" >/dev/null
test -x "$prefix/bin/kernel-gen"
"$cmake" -P "$build/uninstall.cmake" >/dev/null

left=$(cd "$prefix" && find . -type f -o -type l | sort)
[[ $left == $'./bin/foreign\n./share/kernelgen/notes.txt' ]] || { echo "left behind or missing: $left"; exit 1; }
folders=$(find "$prefix" -type d -name kernelgen)
[[ $folders == "$prefix/share/kernelgen" ]] || { echo "empty folders are left: $folders"; exit 1; }
if "$cmake" -P "$build/uninstall.cmake" 2>/dev/null; then echo "a second uninstall succeeded"; exit 1; fi
