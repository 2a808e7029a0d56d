//! Embeds the files of backend/: writes a table of their paths and texts.

use std::fmt::Write;
use std::path::Path;

fn list(folder: &Path, root: &Path, table: &mut String) {
    let mut entries: Vec<_> =
        folder.read_dir().expect("backend/ is a folder").map(|entry| entry.unwrap().path()).collect();
    entries.sort();
    for path in entries {
        if path.is_dir() {
            list(&path, root, table);
        } else {
            let name = path.strip_prefix(root).unwrap();
            writeln!(table, "    ({name:?}, include_str!({path:?})),").unwrap();
        }
    }
}

fn main() {
    println!("cargo:rerun-if-changed=backend");
    let root = Path::new(&std::env::var_os("CARGO_MANIFEST_DIR").unwrap()).join("backend");
    let mut table = "pub const FILES: &[(&str, &str)] = &[\n".to_string();
    list(&root, &root, &mut table);
    table.push_str("];\n");
    std::fs::write(Path::new(&std::env::var_os("OUT_DIR").unwrap()).join("files.rs"), table).unwrap();
}
