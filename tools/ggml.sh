#!/usr/bin/env bash
# Unpacks Debian's ggml and llama.cpp, which Debian 12 does not have, for `ctest -L ggml`:
#   tools/ggml.sh FOLDER
# FOLDER/backports gets ggml's own suite (test-backend-ops of Debian 13's backports), FOLDER/sid the programs of llama.cpp. Their
# libraries are unpacked too, so FOLDER/SUITE/run PROGRAM ARGUMENTS... runs them on any distribution. Nothing is installed. Needs
# apt, dpkg-deb and Debian's keys (debian-archive-keyring).
set -euo pipefail
folder=$(realpath -m "${1:?usage: tools/ggml.sh FOLDER}")
key=/usr/share/keyrings/debian-archive-keyring.gpg
mirror=${KERNELGEN_DEBIAN_MIRROR:-http://deb.debian.org/debian}
for needed in apt-get dpkg-deb "$key"; do
  [[ -e $needed ]] || command -v "$needed" >/dev/null || { echo "tools/ggml.sh: no $needed" >&2; exit 1; }
done

# apt with separate lists, as any user.
apt=$folder/apt
mkdir -p "$apt"/etc/apt/{apt.conf.d,preferences.d} "$apt"/var/{lib/apt/lists/partial,cache/apt/archives/partial,lib/dpkg}
touch "$apt/var/lib/dpkg/status"
for suite in trixie trixie-backports sid; do echo "deb [signed-by=$key] $mirror $suite main"; done >"$apt/etc/apt/sources.list"
options=(-q -o "Dir=$apt" -o "Dir::State::status=$apt/var/lib/dpkg/status" -o APT::Architecture=amd64
         -o APT::Sandbox::User=root -o Acquire::Languages=none)
apt-get "${options[@]}" update

# unpack NAME PACKAGE/SUITE...
unpack() {
  local prefix=$folder/$1 archive library
  shift
  mkdir -p "$prefix/debs"
  (cd "$prefix/debs" && apt-get "${options[@]}" download "$@")
  for archive in "$prefix"/debs/*.deb; do dpkg-deb -x "$archive" "$prefix"; done
  # ggml looks for its CPU back ends next to the program, which is the loader here.
  for library in "$prefix"/usr/lib/x86_64-linux-gnu/ggml/backends0/*.so; do
    ln -sf "$library" "$prefix/usr/lib/x86_64-linux-gnu/"
  done
  cat >"$prefix/run" <<'RUN'
#!/usr/bin/env bash
# run PROGRAM ARGUMENTS...: a program of this folder with the folder's libraries.
set -euo pipefail
prefix=$(dirname "$(realpath "$0")")
libraries=$prefix/usr/lib/x86_64-linux-gnu
for program in "$prefix/usr/bin/$1" "$prefix"/usr/libexec/*/ggml/"$1"; do
  [[ ! -e $program ]] ||
    exec "$libraries/ld-linux-x86-64.so.2" --library-path "$libraries:$libraries/llama" "$program" "${@:2}"
done
echo "run: no program $1 in $prefix" >&2
exit 2
RUN
  chmod +x "$prefix/run"
}
unpack backports libggml0/trixie-backports libggml-dev/trixie-backports libc6/trixie libstdc++6/trixie libgcc-s1/trixie \
  libgomp1/trixie
unpack sid llama.cpp-tools/sid llama.cpp-tools-extra/sid libllama0/sid libggml0/sid libc6/sid libstdc++6/sid libgcc-s1/sid libgomp1/sid libssl3t64/sid \
  libzstd1/sid zlib1g/sid
echo "KERNELGEN_GGML=$folder ctest --test-dir build/release -L ggml"
