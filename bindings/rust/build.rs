//! Links libkernelgen.so: from the folder that KERNELGEN_LIB_DIR names, else from where the system has its libraries.
//! Nothing is compiled. Tests and examples of this package find the library at run time too; programs that use it set
//! LD_LIBRARY_PATH, or a run path of their own, where the library is not the system's.

fn main() {
    println!("cargo:rerun-if-env-changed=KERNELGEN_LIB_DIR");
    println!("cargo:rerun-if-changed=build.rs");
    if let Ok(folder) = std::env::var("KERNELGEN_LIB_DIR") {
        println!("cargo:rustc-link-search=native={folder}");
        println!("cargo:rustc-link-arg=-Wl,-rpath,{folder}");
    }
    println!("cargo:rustc-link-lib=dylib=kernelgen");
}
