//! The folder that is written: whole, or not at all.

use crate::arguments::Arguments;
use crate::Result;
use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

/// A file that says whose folder it is.
const STAMP: &str = ".kernelgen-candle";

/// A folder next to the one that is wanted, which takes its place when it is complete.
pub struct Folder {
    wanted: PathBuf,
    made: PathBuf,
}

impl Folder {
    pub fn new(wanted: &Path) -> Result<Self> {
        let absolute = std::path::absolute(wanted).map_err(|error| format!("{}: {error}", wanted.display()))?;
        let name = absolute.file_name().ok_or_else(|| format!("{}: not a folder to write", wanted.display()))?;
        let is_ours = absolute.join(STAMP).is_file();
        let is_free = match fs::read_dir(&absolute) {
            Ok(mut entries) => entries.next().is_none(),
            Err(_) => !absolute.exists(),
        };
        if !is_ours && !is_free {
            return Err(format!(
                "{}: exists and was not written by this program; name another folder",
                wanted.display()
            ));
        }
        let next = format!("{}.new-{}", name.to_string_lossy(), std::process::id());
        let folder = Self { made: absolute.with_file_name(next), wanted: absolute };
        fs::create_dir_all(&folder.made).map_err(|error| format!("{}: {error}", folder.made.display()))?;
        let stamp = format!("kernelgen-candle {}\n", env!("CARGO_PKG_VERSION"));
        write(&folder.made.join(STAMP), &stamp)?;
        Ok(folder)
    }

    pub fn path(&self) -> &Path {
        &self.made
    }

    /// Puts it in its place; an equal folder stays, so that cargo compiles nothing twice.
    pub fn publish(self) -> Result<()> {
        if is_same(&self.made, &self.wanted) {
            return Ok(());
        }
        let earlier = self.made.with_extension("old");
        let refused = |error: std::io::Error| format!("{}: {error}", self.wanted.display());
        if self.wanted.exists() {
            fs::rename(&self.wanted, &earlier).map_err(refused)?;
        }
        if let Err(error) = fs::rename(&self.made, &self.wanted) {
            // What was there before stays there.
            let _ = fs::rename(&earlier, &self.wanted);
            return Err(refused(error));
        }
        if earlier.exists() {
            fs::remove_dir_all(&earlier).map_err(|error| format!("{}: {error}", earlier.display()))?;
        }
        Ok(())
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        // After publish() there is nothing; after an error it is only a leftover.
        let _ = fs::remove_dir_all(&self.made);
    }
}

/// Whether two folders have the same files.
fn is_same(a: &Path, b: &Path) -> bool {
    let entries = |folder: &Path| -> Option<BTreeSet<OsString>> {
        fs::read_dir(folder).ok()?.map(|entry| Some(entry.ok()?.file_name())).collect()
    };
    let Some(names) = entries(a) else { return false };
    entries(b).is_some_and(|others| others == names)
        && names.iter().map(|name| (a.join(name), b.join(name))).all(|(a, b)| match (a.is_dir(), b.is_dir()) {
            (true, true) => is_same(&a, &b),
            (false, false) => matches!((fs::read(a), fs::read(b)), (Ok(a), Ok(b)) if a == b),
            _ => false,
        })
}

pub fn write(path: &Path, text: &str) -> Result<()> {
    let refused = |error: std::io::Error| format!("{}: {error}", path.display());
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder).map_err(refused)?;
    }
    fs::write(path, text).map_err(refused)
}

pub fn read(path: &Path) -> Result<String> {
    fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))
}

/// A copy of all files below `from`; symbolic links are not followed out of a crate, which has none.
pub fn copy(from: &Path, to: &Path) -> Result<()> {
    let refused = |error: std::io::Error| format!("{}: {error}", from.display());
    fs::create_dir_all(to).map_err(|error| format!("{}: {error}", to.display()))?;
    for entry in fs::read_dir(from).map_err(refused)? {
        let entry = entry.map_err(refused)?;
        let (source, target) = (entry.path(), to.join(entry.file_name()));
        if entry.file_type().map_err(refused)?.is_dir() {
            copy(&source, &target)?;
        } else {
            let bytes = fs::read(&source).map_err(|error| format!("{}: {error}", source.display()))?;
            fs::write(&target, bytes).map_err(|error| format!("{}: {error}", target.display()))?;
        }
    }
    Ok(())
}

/// What to do with the folder.
pub fn summary(arguments: &Arguments) -> String {
    let out = std::path::absolute(&arguments.out).unwrap_or_else(|_| arguments.out.clone());
    let line = |name: &str| format!("{name} = {{ path = {:?} }}\n", out.join(name));
    format!(
        "candle {} with kernel-gen's back end is in {}. In your Cargo.toml:\n\n[patch.crates-io]\n{}{}{}",
        arguments.version,
        out.display(),
        line("candle-core"),
        line("candle-nn"),
        line("candle-flash-attn")
    )
}
