//! Links libkernelgen from the folder in `KERNELGEN_LIB_DIR`, or else from where `pkg-config` finds it. Nothing is compiled.
//!
//! The shared library is linked unless the feature `static` or `KERNELGEN_STATIC=1` selects the archives. A build script
//! cannot set the run path of the programs of other packages. `cargo run` and `cargo test` search the native folders inside
//! the target folder, so the library is linked from there, through symbolic links.

use std::path::{Path, PathBuf};
use std::process::Command;

/// The library directory of a pkg-config module, or why it was not found.
fn installed_folder(module: &str) -> Result<PathBuf, String> {
    let program = std::env::var("PKG_CONFIG").unwrap_or_else(|_| "pkg-config".to_string());
    let output = Command::new(&program)
        .args(["--variable=libdir", module])
        .output()
        .map_err(|error| format!("{program} cannot be run: {error}"))?;
    let folder = String::from_utf8_lossy(&output.stdout).trim().to_string();
    if !output.status.success() || folder.is_empty() {
        let message = String::from_utf8_lossy(&output.stderr);
        let line = message.lines().next().unwrap_or("no libdir");
        return Err(format!("{program} finds no {module}: {line}"));
    }
    Ok(PathBuf::from(folder))
}

/// The folder that has `library`, according to `KERNELGEN_LIB_DIR` or else pkg-config's `module`.
fn library_folder(library: &str, module: &str) -> PathBuf {
    match std::env::var("KERNELGEN_LIB_DIR") {
        Ok(named) => {
            if !Path::new(&named).join(library).exists() {
                panic!("KERNELGEN_LIB_DIR is '{named}', which has no {library}");
            }
            PathBuf::from(named)
        }
        Err(_) => installed_folder(module).unwrap_or_else(|reason| {
            panic!(
                "{library} is not found: KERNELGEN_LIB_DIR is not set, and {reason}. Set KERNELGEN_LIB_DIR to the folder that \
                 holds {library} (build/release of a source tree, lib of an install), or add the folder of {module}.pc to \
                 PKG_CONFIG_PATH"
            )
        }),
    }
}

fn link_archives() -> PathBuf {
    let folder = library_folder("libkernelgen_kernels.a", "kernelgen");
    println!("cargo:rustc-link-search=native={}", folder.display());
    // In a build tree the runtime's archive is in another folder.
    println!("cargo:rustc-link-search=native={}", folder.join("runtime").display());
    // Whole: the runtime refers to the package weakly, which takes nothing out of an archive.
    println!("cargo:rustc-link-lib=static:+whole-archive,-bundle=kernelgen_kernels");
    println!("cargo:rustc-link-lib=static:-bundle=kernelgen_runtime");
    for library in ["zstd", "stdc++"] {
        println!("cargo:rustc-link-lib=dylib={library}");
    }
    folder
}

fn link_shared() -> PathBuf {
    let folder = library_folder("libkernelgen.so", "kernelgen-c");
    let links = PathBuf::from(std::env::var_os("OUT_DIR").expect("cargo sets OUT_DIR")).join("lib");
    std::fs::create_dir_all(&links).unwrap_or_else(|error| panic!("{}: {error}", links.display()));
    // The name that the linker searches, and the soname that the loader searches.
    let soname = format!("libkernelgen.so.{}", env!("CARGO_PKG_VERSION_MAJOR"));
    for name in ["libkernelgen.so", &soname] {
        let (target, link) = (folder.join(name), links.join(name));
        let _ = std::fs::remove_file(&link); // of an earlier run, for another folder
        std::os::unix::fs::symlink(&target, &link).unwrap_or_else(|error| panic!("{}: {error}", link.display()));
    }
    println!("cargo:rustc-link-search=native={}", links.display());
    println!("cargo:rustc-link-arg=-Wl,-rpath,{}", folder.display());
    println!("cargo:rustc-link-lib=dylib=kernelgen");
    folder
}

fn main() {
    for name in ["KERNELGEN_LIB_DIR", "KERNELGEN_STATIC", "PKG_CONFIG", "PKG_CONFIG_PATH", "PKG_CONFIG_LIBDIR"] {
        println!("cargo:rerun-if-env-changed={name}");
    }
    println!("cargo:rerun-if-changed=build.rs");
    let is_static = std::env::var_os("CARGO_FEATURE_STATIC").is_some()
        || std::env::var("KERNELGEN_STATIC").map_or(false, |value| value == "1");
    let folder = if is_static { link_archives() } else { link_shared() };
    // DEP_KERNELGEN_LIB_DIR in the build scripts of the packages that depend on this one.
    println!("cargo:lib_dir={}", folder.display());
}
