#!/usr/bin/env bash
# Where the crate's build script finds libkernelgen, and what it says where it does not:
#   build_script.sh RUSTC BUILD_RS FOLDER
set -euo pipefail
rustc=$1 script=$2 folder=$3
rm -rf "$folder"
mkdir -p "$folder/lib" "$folder/archives" "$folder/none" "$folder/out"
cd "$folder"
CARGO_PKG_VERSION_MAJOR=0 "$rustc" --edition 2021 "$script" -o build_script
: >lib/libkernelgen.so
: >lib/libkernelgen.so.0
: >archives/libkernelgen_kernels.a
unset KERNELGEN_LIB_DIR KERNELGEN_STATIC PKG_CONFIG_PATH
export PKG_CONFIG_LIBDIR=$folder/none OUT_DIR=$folder/out

prints() { # LINE...
  for line in "$@"; do
    grep -qxF "cargo:$line" said || { cat said; echo "error: it does not print $line"; exit 1; }
  done
}
links() { # FOLDER
  prints "rustc-link-search=native=$folder/out/lib" "rustc-link-arg=-Wl,-rpath,$1" "rustc-link-lib=dylib=kernelgen" "lib_dir=$1"
  for name in libkernelgen.so libkernelgen.so.0; do
    [[ out/lib/$name -ef $1/$name ]] || { ls -l out/lib; echo "error: out/lib/$name is not a link to $1/$name"; exit 1; }
  done
}
links_archives() { # FOLDER
  prints "rustc-link-search=native=$1" "rustc-link-lib=static:+whole-archive,-bundle=kernelgen_kernels" \
    "rustc-link-lib=static:-bundle=kernelgen_runtime" "lib_dir=$1"
  if grep -q 'dylib=kernelgen' said; then cat said; echo "error: it links the shared library too"; exit 1; fi
}
fails() { # TEXT COMMAND...
  if "${@:2}" ./build_script >/dev/null 2>said; then echo "error: it succeeded"; exit 1; fi
  grep -qF -- "$1" said || { cat said; echo "error: it does not say '$1'"; exit 1; }
}
KERNELGEN_LIB_DIR=$folder/lib ./build_script >said
links "$folder/lib"
KERNELGEN_LIB_DIR=$folder/lib ./build_script >said # its links are there already
links "$folder/lib"
KERNELGEN_LIB_DIR=$folder/archives KERNELGEN_STATIC=1 ./build_script >said
links_archives "$folder/archives"
KERNELGEN_LIB_DIR=$folder/archives CARGO_FEATURE_STATIC=1 ./build_script >said
links_archives "$folder/archives"
fails "KERNELGEN_LIB_DIR is '$folder/none', which has no libkernelgen.so" env KERNELGEN_LIB_DIR="$folder/none"
fails "KERNELGEN_LIB_DIR is '$folder/lib', which has no libkernelgen_kernels.a" env KERNELGEN_LIB_DIR="$folder/lib" KERNELGEN_STATIC=1
fails "/nowhere/pkg-config cannot be run: " env PKG_CONFIG=/nowhere/pkg-config
if command -v pkg-config >/dev/null; then
  fails 'pkg-config finds no kernelgen-c: ' env
  fails 'Set KERNELGEN_LIB_DIR to the folder that holds libkernelgen.so' env
  fails 'pkg-config finds no kernelgen: ' env KERNELGEN_STATIC=1
  printf 'libdir=%s\nName: kernelgen-c\nDescription: -\nVersion: 1\n' "$folder/lib" >kernelgen-c.pc
  PKG_CONFIG_PATH=$folder ./build_script >said
  links "$folder/lib"
fi
