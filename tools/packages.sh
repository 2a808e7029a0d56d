# shellcheck shell=bash disable=SC2034
# The Debian 12 packages that kernel-gen needs, and a function that installs those that are missing. To be sourced.

# To build the tool and the runtime.
build_packages=(
  g++ cmake ninja-build
  libcli11-dev libfmt-dev nlohmann-json3-dev libxxhash-dev libdlpack-dev llvm-19-dev
)
# For kernel-gen to compile kernels: clang-15 for the AMD GPUs it knows, clang-19 for the CPU and for newer GPUs.
compiler_packages=(clang-15 lld-15 clang-19 lld-19 rocm-device-libs)
test_packages=(libgtest-dev pkg-config)

# install_packages PACKAGE...: those that dpkg does not know as installed, as root or through sudo.
install_packages() {
  local missing=() package
  for package in "$@"; do
    [[ $(dpkg-query --show --showformat='${db:Status-Abbrev}' "$package" 2>/dev/null) == ii* ]] || missing+=("$package")
  done
  ((${#missing[@]})) || return 0

  local as_root=()
  if ((EUID != 0)); then
    if ! command -v sudo >/dev/null; then
      echo "error: ${missing[*]} are not installed; run this as root, or install sudo" >&2
      return 1
    fi
    as_root=(sudo)
  fi
  echo "installing ${missing[*]}"
  "${as_root[@]}" apt-get update -q
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends "${missing[@]}"
}
