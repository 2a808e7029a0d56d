//! Links libkernelgen.so: from the folder that KERNELGEN_LIB_DIR names, else from where `pkg-config` finds it (kernelgen-c).
//! Nothing is compiled. Tests and examples of this package find the library at run time too; programs that use it set
//! LD_LIBRARY_PATH, or a run path of their own, where the library is not the system's.

use std::process::Command;

/// The folder of the library as `pkg-config` says, or why it says none.
fn installed_folder() -> Result<String, String> {
    let program = std::env::var("PKG_CONFIG").unwrap_or_else(|_| "pkg-config".to_string());
    let asked = Command::new(&program)
        .args(["--variable=libdir", "kernelgen-c"])
        .output()
        .map_err(|error| format!("{program} cannot be run: {error}"))?;
    let folder = String::from_utf8_lossy(&asked.stdout).trim().to_string();
    if !asked.status.success() || folder.is_empty() {
        let said = String::from_utf8_lossy(&asked.stderr);
        let line = said.lines().next().unwrap_or("no libdir");
        return Err(format!("{program} finds no kernelgen-c: {line}"));
    }
    Ok(folder)
}

fn main() {
    for name in ["KERNELGEN_LIB_DIR", "PKG_CONFIG", "PKG_CONFIG_PATH", "PKG_CONFIG_LIBDIR"] {
        println!("cargo:rerun-if-env-changed={name}");
    }
    println!("cargo:rerun-if-changed=build.rs");
    let folder = match std::env::var("KERNELGEN_LIB_DIR") {
        Ok(named) => {
            if !std::path::Path::new(&named).join("libkernelgen.so").exists() {
                panic!("KERNELGEN_LIB_DIR is '{named}', where there is no libkernelgen.so");
            }
            named
        }
        Err(_) => match installed_folder() {
            Ok(folder) => folder,
            Err(reason) => panic!(
                "libkernelgen.so is not found: KERNELGEN_LIB_DIR is not set, and {reason}. Set KERNELGEN_LIB_DIR to the \
                 folder that holds libkernelgen.so (build/release of a source tree, lib of an install), or add the \
                 folder of kernelgen-c.pc to PKG_CONFIG_PATH"
            ),
        },
    };
    println!("cargo:rustc-link-search=native={folder}");
    println!("cargo:rustc-link-arg=-Wl,-rpath,{folder}");
    println!("cargo:rustc-link-lib=dylib=kernelgen");
}
