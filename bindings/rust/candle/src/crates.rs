//! Where candle's crates are: in a folder that is named, or where cargo keeps what it fetched.

use crate::arguments::Arguments;
use crate::Result;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Folders of the unpacked crates.
pub struct Sources {
    pub core: PathBuf,
    pub nn: PathBuf,
}

pub fn find(arguments: &Arguments) -> Result<Sources> {
    match &arguments.from {
        Some(folder) => Ok(Sources {
            core: named(folder, "candle-core", &arguments.version)?,
            nn: named(folder, "candle-nn", &arguments.version)?,
        }),
        None => fetched(&arguments.version),
    }
}

fn named(folder: &Path, name: &str, version: &str) -> Result<PathBuf> {
    let candidates = [folder.join(format!("{name}-{version}")), folder.join(name)];
    for candidate in &candidates {
        let Ok(manifest) = fs::read_to_string(candidate.join("Cargo.toml")) else { continue };
        let line = format!("version = \"{version}\"");
        if manifest.lines().any(|each| each == line) {
            return Ok(candidate.clone());
        }
    }
    Err(format!("{name} {version} is not in {} (looked for {name}-{version} and {name})", folder.display()))
}

/// A folder that is removed at the end.
struct Scratch(PathBuf);

impl Drop for Scratch {
    fn drop(&mut self) {
        // A folder that stays in the system's temporary one harms nobody.
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// Has cargo resolve a package that needs the crates, which fetches them as the user's configuration says.
fn fetched(version: &str) -> Result<Sources> {
    let scratch = Scratch(std::env::temp_dir().join(format!("kernelgen-candle-{}", std::process::id())));
    let refused = |error: std::io::Error| format!("{}: {error}", scratch.0.display());
    fs::create_dir_all(&scratch.0).map_err(refused)?;
    fs::write(scratch.0.join("lib.rs"), "").map_err(refused)?;
    let manifest = format!(
        "[package]\nname = \"fetch\"\nversion = \"0.0.0\"\nedition = \"2021\"\n[lib]\npath = \"lib.rs\"\n[workspace]\n\
         [dependencies]\ncandle-core = \"={version}\"\ncandle-nn = \"={version}\"\n"
    );
    fs::write(scratch.0.join("Cargo.toml"), manifest).map_err(refused)?;
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let answer = Command::new(&cargo)
        .args(["metadata", "--format-version", "1", "--manifest-path"])
        .arg(scratch.0.join("Cargo.toml"))
        .output()
        .map_err(|error| {
            format!("{} cannot be run: {error}; name the crates' folder by --from", cargo.to_string_lossy())
        })?;
    if !answer.status.success() {
        let said = String::from_utf8_lossy(&answer.stderr);
        return Err(format!("cargo does not give candle {version}; name the crates' folder by --from:\n{said}"));
    }
    let metadata: serde_json::Value =
        serde_json::from_slice(&answer.stdout).map_err(|error| format!("cargo metadata: {error}"))?;
    let folder = |name: &str| {
        let packages = metadata["packages"].as_array().into_iter().flatten();
        let manifest = packages.clone().find(|each| each["name"] == name && each["version"] == version)?
            ["manifest_path"]
            .as_str()?;
        Some(Path::new(manifest).parent()?.to_path_buf())
    };
    let found = |name: &str| folder(name).ok_or_else(|| format!("cargo metadata names no folder of {name} {version}"));
    Ok(Sources { core: found("candle-core")?, nn: found("candle-nn")? })
}
