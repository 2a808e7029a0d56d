#!/usr/bin/env bash
# Whether every kernel is valid CUDA C++ for sm_90a, also where there is no nvcc: cuda_syntax.sh CLANG REPOSITORY
# Inline PTX is not read.
set -euo pipefail
clang=$1 repository=$2
flags=(-x cuda --cuda-device-only --cuda-gpu-arch=sm_90a -nocudainc -nocudalib -std=c++20 -fsyntax-only
  -ferror-limit=5 -D__CUDACC__ -include "$repository/tests/headers/cuda_language.hpp" -include __clang_cuda_builtin_vars.h
  -I "$repository/kernels")
for source in "$repository"/generated/hip/*.hip; do "$clang" "${flags[@]}" "$source"; done
