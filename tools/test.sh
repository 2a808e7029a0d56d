#!/usr/bin/env bash
# Installs the packages that the tests need (Debian 12 or 13, Ubuntu 24.04; as root or with sudo), builds, and runs every
# test that needs no GPU, except the timings of `ctest -L perf`. Arguments are passed to ctest: `tools/test.sh -L unit` runs
# the tests of one label.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
# shellcheck source-path=SCRIPTDIR/..
source tools/packages.sh

install_packages "${build_packages[@]}" "${compiler_packages[@]}" "${test_packages[@]}"
cmake --preset release -DKERNELGEN_BUILD_TESTS=ON
cmake --build --preset release
ctest --test-dir build/release -j2 --output-on-failure -LE perf "$@"
