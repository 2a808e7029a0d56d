#!/usr/bin/env bash
# Builds through ccache, through distcc with a server on this machine, and through distcc with one on another host, which
# is a network namespace at the end of a cable, make the package that a build without them makes:
#   launchers.sh ccache|distcc|distcc-hosts KERNEL_GEN FOLDER
set -euo pipefail
way=$1 tool=$2 folder=$3
launcher=${way%-hosts}
skip() { echo "skipped: $1"; exit 77; }
needed=("$launcher")
[[ $launcher == distcc ]] && needed+=(distccd)
[[ $way == distcc-hosts ]] && needed+=(ip nsenter unshare)
for program in "${needed[@]}"; do
  command -v "$program" >/dev/null || skip "$program is not installed"
done

if [[ $way == distcc-hosts && -z ${IN_NAMESPACE-} ]]; then
  namespace=(unshare --net)
  # Who is not root may have one as a user that may do as much in it.
  ((UID)) && namespace+=(--user --map-current-user --keep-caps)
  "${namespace[@]}" ip link add name one type veth peer name two 2>/dev/null || skip "no network namespaces are permitted here"
  IN_NAMESPACE=1 exec "${namespace[@]}" "$0" "$@"
fi

rm -rf "$folder"
mkdir -p "$folder"
cd "$folder"

export KERNELGEN_CACHE=$PWD/cache
build() { "$tool" build --no-cache --target cpu-x86-64-v3,gfx90a --only op=neg,exp --quiet --out "$@"; }
build plain

started=()
trap '((${#started[@]})) && kill "${started[@]}" 2>/dev/null' EXIT
# serve ADDRESS CLIENT COMMAND...: distccd at the address, started by the command. It runs whatever compiler it is asked
# for, so only the client may ask.
serve() {
  local address=$1 client=$2
  shift 2
  "$@" distccd --no-detach --daemon --listen "$address" --port "$port" --allow "$client" --enable-tcp-insecure --jobs 2 \
    --log-level info --log-stderr 2>distccd.log &
  started+=($!)
  until [[ -s distccd.log ]]; do sleep 0.1; done
}
build_remotely() {
  export DISTCC_HOSTS=$1:$port/2 DISTCC_DIR=$PWD/distcc DISTCC_FALLBACK=0
  mkdir distcc
  build second --launcher distcc
  local remote
  remote=$(grep -c "client: $2:.* COMPILE_OK" distccd.log)
  ((remote >= 2)) || { echo "error: the server compiled $remote of the 2 sources for the CPU"; exit 1; }
}
port=$((20000 + $$ % 10000))

case $way in
  ccache)
    export CCACHE_DIR=$PWD/ccache
    build first --launcher ccache
    build second --launcher ccache
    ccache --print-stats | tee stats
    hits=$(awk '$1 ~ /_cache_hit$/ { hits += $2 } END { print hits }' stats)
    ((hits >= 4)) || { echo "error: ccache had $hits of the 4 compiles"; exit 1; }
    ;;
  distcc)
    serve 127.0.0.1 127.0.0.1
    build_remotely 127.0.0.1 127.0.0.1
    ;;
  distcc-hosts)
    unshare --net sleep infinity &
    other=$!
    started+=("$other")
    until [[ $(readlink "/proc/$other/ns/net") != $(readlink /proc/self/ns/net) ]]; do sleep 0.1; done
    there=(nsenter --target "$other" --net)
    ip link add name cable type veth peer name cable netns "$other"
    ip address add 10.0.0.1/24 dev cable
    ip link set cable up
    "${there[@]}" ip address add 10.0.0.2/24 dev cable
    "${there[@]}" ip link set cable up
    serve 10.0.0.2 10.0.0.1 "${there[@]}"
    build_remotely 10.0.0.2 10.0.0.1
    ;;
esac
cmp plain/kernelgen.kgpkg second/kernelgen.kgpkg
