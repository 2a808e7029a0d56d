#!/usr/bin/env bash
# The same kernels and compilers give the same bytes for any user, folder, time, number of jobs and launcher:
#   reproducible.sh KERNEL_GEN TREE FOLDER
set -euo pipefail
tool=$1 tree=$2 folder=$3
rm -rf "$folder"

# place FOLDER: puts a copy of the kernels there, with other file times.
place() {
  mkdir -p "$1/manifests" "$1/home"
  cp "$tree"/manifests/core/{unary,affine,copy}.json "$1/manifests"
  cp -r "$tree/kernels" "$1/kernels"
  cd "$1"
}
# build [ENV ARGUMENT]... -- [OPTION]...: into package/, nothing of it known from before.
build() {
  local -a settings=() as=()
  while [[ $1 != -- ]]; do settings+=("$1"); shift; done
  shift
  [[ -z ${other_user:-} ]] || as=("${other_user[@]}")
  "${as[@]}" env HOME="$PWD/home" KERNELGEN_CACHE="$PWD/cache" "${settings[@]}" \
    "$tool" build --manifests manifests --kernels kernels --target cpu-x86-64-v3 --target gfx90a \
    --only op=neg,affine --out package --quiet "$@"
}
same() {
  diff -r "$folder/one/package" package || { echo "error: $1 made another package"; exit 1; }
  echo "$1: the same"
}

place "$folder/one"
build USER=ada LC_ALL=C TZ=UTC -- -j 1

place "$folder/another place/deeper"
(umask 077 && build USER=charles LOGNAME=charles LC_ALL=de_DE.UTF-8 TZ=Asia/Tokyo SOURCE_DATE_EPOCH=1 \
  CPATH=/nowhere CCC_OVERRIDE_OPTIONS=O1 TMPDIR="$PWD/home" -- -j 3)
same "another folder, home, name, time zone and number of jobs"

build -- -j 2 --no-cache
same "a build without the cache"
touch kernels/*.hpp manifests/*.json
build -- -j 2
same "a build from the cache"

other_user=(unshare --user --map-user=4321 --map-group=4321)
if "${other_user[@]}" true 2>/dev/null; then
  rm -r cache
  build USER=nobody -- -j 2
  same "another user"
else
  echo "nobody may be another user here"
fi
unset other_user

if command -v ccache >/dev/null; then
  for turn in "a build that fills ccache" "a build from ccache"; do
    build CCACHE_DIR="$PWD/ccache" -- -j 2 --no-cache --launcher ccache
    same "$turn"
  done
else
  echo "ccache is not installed"
fi

# What is changed has to show, or all of this shows nothing.
echo '// A comment is part of no package.' >>kernels/device/types.hpp
build -- -j 2
same "a comment"
echo 'namespace kg { inline constexpr int never_there_before = 1; }' >>kernels/device/types.hpp
build -- -j 2
if diff -r "$folder/one/package" package >/dev/null; then echo "error: another source made the same package"; exit 1; fi
echo "all but another source makes the same package"
