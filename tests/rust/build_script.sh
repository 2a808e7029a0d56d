#!/usr/bin/env bash
# Where the crate's build script finds libkernelgen.so, and what it says where it does not:
#   build_script.sh RUSTC BUILD_RS FOLDER
set -euo pipefail
rustc=$1 script=$2 folder=$3
rm -rf "$folder"
mkdir -p "$folder/lib" "$folder/none"
cd "$folder"
"$rustc" --edition 2021 "$script" -o build_script
: >lib/libkernelgen.so
unset KERNELGEN_LIB_DIR PKG_CONFIG_PATH
export PKG_CONFIG_LIBDIR=$folder/none

links() { # FOLDER
  for line in "rustc-link-search=native=$1" "rustc-link-arg=-Wl,-rpath,$1"; do
    grep -qxF "cargo:$line" said || { cat said; echo "error: it does not print $line"; exit 1; }
  done
}
fails() { # TEXT
  if "${@:2}" ./build_script >/dev/null 2>said; then echo "error: it succeeded"; exit 1; fi
  grep -qF -- "$1" said || { cat said; echo "error: it does not say '$1'"; exit 1; }
}
KERNELGEN_LIB_DIR=$folder/lib ./build_script >said
links "$folder/lib"
fails "KERNELGEN_LIB_DIR is '$folder/none', where there is no libkernelgen.so" env KERNELGEN_LIB_DIR="$folder/none"
fails "/nowhere/pkg-config cannot be run: " env PKG_CONFIG=/nowhere/pkg-config
if command -v pkg-config >/dev/null; then
  fails 'pkg-config finds no kernelgen-c: ' env
  fails 'Set KERNELGEN_LIB_DIR to the folder that holds libkernelgen.so' env
  printf 'libdir=%s\nName: kernelgen-c\nDescription: -\nVersion: 1\n' "$folder/lib" >kernelgen-c.pc
  PKG_CONFIG_PATH=$folder ./build_script >said
  links "$folder/lib"
fi
