# shellcheck shell=bash disable=SC2034
# The packages of Debian 12, Debian 13 and Ubuntu 24.04 that kernel-gen needs, and a function that installs those that are
# missing. To be sourced. Where distributions differ, "a|b" is the first of them that is there or can be had.

# To build the tool and the runtime.
build_packages=(
  g++ cmake ninja-build
  libcli11-dev libfmt-dev nlohmann-json3-dev libxxhash-dev libzstd-dev libdlpack-dev
  'llvm-19-dev|llvm-18-dev|llvm-17-dev'
)
# For kernel-gen to compile kernels.
compiler_packages=(
  'clang-19|clang-18|clang-17' 'lld-19|lld-18|lld-17'
  'rocm-device-libs|rocm-device-libs-17'
)
test_packages=(
  libgtest-dev pkg-config clang-format-19 shellcheck python3-jsonschema mandoc zsh fish
  'libclang-rt-19-dev|libclang-rt-18-dev|libclang-rt-17-dev' dpkg-dev file
  python3 python3-numpy python3-pytest python3-pip doxygen doxygen-awesome-css
)

is_installed() { [[ $(dpkg-query --show --showformat='${db:Status-Abbrev}' "$1" 2>/dev/null) == ii* ]]; }
can_be_had() { [[ $(LC_ALL=C apt-cache policy "$1" 2>/dev/null) == *'  Candidate: '[^\(]* ]]; }

# install_packages PACKAGE...: those that are not there, as root or through sudo.
install_packages() {
  local missing=() chosen=() as_root=() choice package
  for choice in "$@"; do
    for package in ${choice//|/ }; do is_installed "$package" && continue 2; done
    missing+=("$choice")
  done
  ((${#missing[@]})) || return 0

  if ((EUID != 0)); then
    if ! command -v sudo >/dev/null; then
      echo "error: ${missing[*]} are not installed; run this as root, or install sudo" >&2
      return 1
    fi
    as_root=(sudo)
  fi
  "${as_root[@]}" apt-get update -q
  for choice in "${missing[@]}"; do
    for package in ${choice//|/ }; do
      can_be_had "$package" || continue
      chosen+=("$package")
      continue 2
    done
    echo "error: no package ${choice//|/ or } can be had; Debian 12, Debian 13 and Ubuntu 24.04 (universe) have one" >&2
    return 1
  done
  echo "installing ${chosen[*]}"
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends "${chosen[@]}"
}
