#!/usr/bin/env bash
# Builds a release of the commit that is checked out into dist/: the source tarball and, from it, the package of kernels,
# the wheel, the Debian packages and the crate. Each is installed into a scratch folder and used before it is kept. The
# build goes to build/dist. The libraries hold kernels for the CPU; KERNELGEN_DEB_TARGETS (cpu) lists the targets with a
# Debian package of kernels, with semicolons between them.
#   tools/release.sh [OUT]
# Needs the packages of tools/packages.sh, dpkg-dev, Python with pip, and cargo.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
root=$PWD
mkdir -p "${1:-dist}"
out=$(realpath "${1:-dist}") work=$root/build/dist
build=$work/source/build/release
step() { printf '\n== %s\n' "$*"; }
fail() { echo "error: release: $*" >&2; exit 1; }

version=$(sed -n 's/.*version\[\] = "\([0-9.]*\)".*/\1/p' tools/kernel-gen/base/version.hpp)
name=kernelgen-$version
python=$(command -v /usr/bin/python3 || command -v python3) || fail "python3: not found; it makes the wheel"
for program in cargo dpkg-deb dpkg-shlibdeps gzip; do
  command -v "$program" >/dev/null || fail "$program: not found on PATH; install it, see the head of this script"
done
[[ -z $(git status --porcelain --untracked-files=no) ]] || fail "the working tree has changes; commit them first"
mkdir -p "$work"
rm -rf "$work/source" "$work/prefix" "$work/programs" "$work/debs" "$work/wheel" "$work/crate" "$work/files"
mkdir "$work/files"
files=$work/files

step "source tarball"
git archive --prefix="$name/" HEAD | gzip --no-name -9 >"$files/$name.tar.gz"
mkdir "$work/source"
tar -xzf "$files/$name.tar.gz" -C "$work/source" --strip-components=1
cd "$work/source"

step "build and install from it"
cmake --preset release -DKERNELGEN_BUILD_TESTS=OFF "-DKERNELGEN_DEB_TARGETS=${KERNELGEN_DEB_TARGETS:-cpu}" \
  >"$work/configure.log" || { cat "$work/configure.log"; exit 1; }
cmake --build --preset release
cmake --install "$build" --prefix "$work/prefix" >/dev/null
tests/integration/plain_compiler.sh "$work/prefix" tests/integration "$work/programs" "${CC:-cc}" "${CXX:-c++}" ""
cp "$build/kernels/kernelgen.kgpkg" "$files/$name.kgpkg"
"$work/prefix/bin/kernel-gen" verify "$files/$name.kgpkg" >/dev/null

step "wheel"
"$python" -B bindings/python/build_wheel.py --library "$build/libkernelgen.so" --out "$files"
tests/python/wheel.sh "$python" "$work/source" "$build/libkernelgen.so"

step "Debian packages"
tests/integration/debs.sh cpack "$work/source" "$build" "$work/debs"
# As dpkg installs them, with its checks of conflicts and of what they need of each other, into a separate root.
mkdir -p "$work/debs/root/var/lib/dpkg/"{updates,info,triggers}
touch "$work/debs/root/var/lib/dpkg/"{status,available}
dpkg --root="$work/debs/root" --log=/dev/null --force-not-root,depends,script-chrootless,bad-path \
  --install "$work"/debs/*.deb >"$work/debs/dpkg.log" 2>&1 || { cat "$work/debs/dpkg.log"; exit 1; }
"$work/debs/root/usr/bin/kernel-gen" ls "$work/debs/root/usr/share/kernelgen/packages/cpu.kgpkg" >/dev/null
"${CC:-cc}" -std=c11 "-I$work/debs/root/usr/include" tests/integration/consume_c/main.c "-L$work/debs/root/usr/lib" -lkernelgen \
  -o "$work/debs/program"
LD_LIBRARY_PATH=$work/debs/root/usr/lib "$work/debs/program"
cp "$work"/debs/*.deb "$files"

step "crate"
export KERNELGEN_LIB_DIR=$build CARGO_NET_OFFLINE=true
cargo package --quiet --offline --allow-dirty --manifest-path bindings/rust/Cargo.toml --target-dir "$work/cargo"
cp "$work/cargo/package/$name.crate" "$files"
mkdir -p "$work/crate/src"
tar -xzf "$files/$name.crate" -C "$work/crate"
cat >"$work/crate/Cargo.toml" <<END
[package]
name = "program"
version = "0.0.0"
edition = "2021"
[dependencies]
kernelgen = { path = "$name" }
[workspace]
END
cat >"$work/crate/src/main.rs" <<'END'
fn main() -> kernelgen::Result<()> {
    let device = kernelgen::Device::open("cpu")?;
    let x = kernelgen::Tensor::from_slice(&device, &[1.0f32, 2.0], &[2])?;
    assert_eq!(kernelgen::ops::sqr(&x)?.to_vec::<f32>()?, [1.0, 4.0]);
    Ok(())
}
END
cargo run --quiet --offline --manifest-path "$work/crate/Cargo.toml" --target-dir "$work/cargo"

step "$out"
# Only this version's files are replaced.
(cd "$files" && sha256sum -- * >"$work/SHA256SUMS")
cp "$files"/* "$work/SHA256SUMS" "$out"
cat "$out/SHA256SUMS"
