#!/usr/bin/env bash
# plain_compiler.sh PREFIX SOURCES SCRATCH CC CXX FLAGS: builds the programs of SOURCES against the install tree in PREFIX
# by one compiler command each, and runs them.
set -euo pipefail
prefix=$1 sources=$2 scratch=$3 cc=$4 cxx=$5
read -ra flags <<<"$6"

pc=$(find "$prefix" -name kernelgen.pc)
PKG_CONFIG_PATH=$(dirname "$pc")
export PKG_CONFIG_PATH
read -ra cflags <<<"$(pkg-config --cflags kernelgen)"
read -ra libs <<<"$(pkg-config --libs kernelgen)"

mkdir -p "$scratch"
"$cc" -std=c11 "${flags[@]}" "${cflags[@]}" "$sources/consume_c/main.c" "${libs[@]}" -o "$scratch/c_program"
"$cxx" -std=c++20 "${flags[@]}" "${cflags[@]}" "$sources/consume_cpp/main.cpp" "${libs[@]}" -o "$scratch/cpp_program"
"$scratch/c_program"
"$scratch/cpp_program"

# The shared library alone has the interface and the registry.
read -ra cflags <<<"$(pkg-config --cflags kernelgen-c)"
read -ra libs <<<"$(pkg-config --libs kernelgen-c)"
case " ${libs[*]} " in *" -lkernelgen "*) ;; *) echo "error: pkg-config gives no -lkernelgen: ${libs[*]}" && exit 1 ;; esac
"$cc" -std=c11 "${flags[@]}" "${cflags[@]}" "$sources/consume_c/main.c" "${libs[@]}" -o "$scratch/c_shared_program"
LD_LIBRARY_PATH=$(pkg-config --variable=libdir kernelgen-c) "$scratch/c_shared_program"
