#!/usr/bin/env bash
# What the Debian packages hold and need; the tool of one runs where it was unpacked:
#   debs.sh CPACK SOURCE BUILD FOLDER
# Exits with 77 where Debian's tools for packages are not installed.
set -euo pipefail
cpack=$1 source=$2 build=$3 folder=$4
for program in dpkg-deb dpkg-shlibdeps; do
  command -v "$program" >/dev/null || { echo "skipped: no $program (Debian's dpkg-dev)"; exit 77; }
done
rm -rf "$folder"
mkdir -p "$folder"
cd "$folder"
(umask 022 && "$cpack" --config "$build/CPackConfig.cmake" -B "$folder" >log 2>&1) || { cat log; exit 1; }

fail() { echo "error: $*"; exit 1; }
field() { dpkg-deb --field "$1"_*.deb "$2"; }
needs() { [[ ", $(field "$1" Depends)," == *", $2"[\ ,]* ]] || fail "$1 does not depend on $2: $(field "$1" Depends)"; }
holds() { grep -qx "./$2" "$1.list" || fail "$1 has no $2"; }

for package in kernel-gen libkernelgen0 libkernelgen-dev libggml0-backend-kernelgen kernelgen-kernels-cpu; do
  [[ $(field "$package" Package) == "$package" ]] || fail "no $package"
  [[ -n $(field "$package" Maintainer) && $(field "$package" Description) == *$'\n'* ]] || fail "$package is not described"
  dpkg-deb --extract "$package"_*.deb "$package"
  (cd "$package" && find . -type f -o -type l) | sort >"$package.list"
  holds "$package" "usr/share/doc/$package/copyright"
  # Root owns the files, whichever user built the package.
  if dpkg-deb --contents "$package"_*.deb | grep -Ev '^(-rw-r--r--|-rwxr-xr-x|drwxr-xr-x|lrwxrwxrwx) root/root '; then
    fail "$package has files that are not for everybody"
  fi
  # Not a longer path's end, as a tree in /src is of runtime/src.
  if grep -rlP "(?<![\w.-])(\Q$source\E|\Q$build\E)/" "$package"; then fail "$package names folders of this build"; fi
done
[[ -z $(sort ./*.list | uniq -d) ]] || fail "two packages have the same files: $(sort ./*.list | uniq -d)"

holds kernel-gen usr/bin/kernel-gen
holds kernel-gen usr/share/man/man1/kernel-gen-build.1
holds kernel-gen usr/share/kernelgen/kernels/device/types.hpp
holds libkernelgen0 usr/lib/libkernelgen.so.0
holds libkernelgen-dev usr/lib/libkernelgen.so
holds libkernelgen-dev usr/include/kernelgen/tensor.hpp
holds libkernelgen-dev usr/lib/pkgconfig/kernelgen.pc
holds libkernelgen-dev usr/lib/cmake/kernelgen/kernelgenConfig.cmake
holds libggml0-backend-kernelgen "usr/lib/$(gcc -print-multiarch)/ggml/backends0/libggml-hip-kernelgen.so"
holds kernelgen-kernels-cpu usr/share/kernelgen/packages/cpu.kgpkg
needs kernel-gen libc6
needs kernel-gen libzstd1
needs libkernelgen0 libstdc++6
needs libkernelgen-dev libkernelgen0
needs libkernelgen-dev kernel-gen
needs libkernelgen-dev libzstd-dev
needs libggml0-backend-kernelgen libggml0
needs libggml0-backend-kernelgen libstdc++6
# What is called something else on the next release.
[[ $(field kernel-gen Depends) != *libfmt* ]] || fail "kernel-gen needs $(field kernel-gen Depends)"
[[ $(field libkernelgen0 Depends) != *zstd* ]] || fail "libkernelgen0 needs $(field libkernelgen0 Depends)"
[[ $(dpkg-deb --info libkernelgen0_*.deb postinst) == *ldconfig* ]] || fail "libkernelgen0 does not tell the linker"

kernel-gen/usr/bin/kernel-gen verify kernelgen-kernels-cpu/usr/share/kernelgen/packages/cpu.kgpkg
[[ $(kernel-gen/usr/bin/kernel-gen ls) == *softmax* ]] || fail "ls does not list what was shipped"
