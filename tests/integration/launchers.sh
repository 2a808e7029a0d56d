#!/usr/bin/env bash
# Builds through ccache, and through distcc with a server on this machine, make the package that a build without them makes:
#   launchers.sh ccache|distcc KERNEL_GEN FOLDER
set -euo pipefail
launcher=$1 tool=$2 folder=$3
for program in "$launcher" $([[ $launcher == distcc ]] && echo distccd); do
  command -v "$program" >/dev/null || { echo "$program is not installed"; exit 77; }
done
rm -rf "$folder"
mkdir -p "$folder"
cd "$folder"

export KERNELGEN_CACHE=$PWD/cache
build() { "$tool" build --no-cache --target cpu-x86-64-v3,gfx90a --only op=neg,exp --quiet --out "$@"; }
build plain

case $launcher in
  ccache)
    export CCACHE_DIR=$PWD/ccache
    build first --launcher ccache
    build second --launcher ccache
    ccache --print-stats | tee stats
    hits=$(awk '$1 ~ /_cache_hit$/ { hits += $2 } END { print hits }' stats)
    ((hits >= 4)) || { echo "error: ccache had $hits of the 4 compiles"; exit 1; }
    ;;
  distcc)
    port=$((20000 + $$ % 10000))
    # It runs whatever compiler it is asked for, but listens on this machine alone.
    distccd --no-detach --daemon --listen 127.0.0.1 --port $port --allow 127.0.0.1 --enable-tcp-insecure --jobs 2 \
      --log-level info --log-stderr 2>distccd.log &
    server=$!
    trap 'kill $server 2>/dev/null' EXIT
    until [[ -s distccd.log ]]; do sleep 0.1; done
    export DISTCC_HOSTS=127.0.0.1:$port/2 DISTCC_DIR=$PWD/distcc DISTCC_FALLBACK=0
    mkdir distcc
    build second --launcher distcc
    remote=$(grep -c COMPILE_OK distccd.log)
    ((remote >= 2)) || { echo "error: the server compiled $remote of the 2 sources for the CPU"; exit 1; }
    ;;
esac
cmp plain/kernelgen.kgpkg second/kernelgen.kgpkg
