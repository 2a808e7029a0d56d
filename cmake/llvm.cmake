# Finds LLVM. ELF files, their metadata and AMD GPUs' instructions are read with it, no code is made: any from 17 on
# does. Its package names no range of versions that it is compatible with, so the folders are tried in order.
set(llvm_folders 19 18 17 20 21 22)
list(TRANSFORM llvm_folders REPLACE "(.+)" "/usr/lib/llvm-\\1/lib/cmake/llvm")
find_package(LLVM REQUIRED CONFIG HINTS ${llvm_folders})
if(LLVM_VERSION_MAJOR LESS 17)
  message(FATAL_ERROR "LLVM ${LLVM_PACKAGE_VERSION} in ${LLVM_DIR} is too old: 17 or later is needed (apt install "
                      "llvm-19-dev), or say with -D LLVM_DIR=... where it is")
endif()
