//! The crates' Cargo.toml: the feature `cuda` is on and means kernelgen.

use crate::arguments::Arguments;
use crate::{backend, output, Result};
use std::path::{Path, PathBuf};
use toml_edit::{value, Array, DocumentMut, InlineTable, Item, Table, Value};

/// Dependencies of candle's own back end.
const ABSENT: [&str; 2] = ["cudarc", "candle-kernels"];

/// Whether a feature's entry names one of them, or CUDA code of candle-ug.
fn is_absent(entry: &str) -> bool {
    let dependency = entry.trim_start_matches("dep:").split(['/', '?']).next();
    dependency.is_some_and(|name| ABSENT.contains(&name)) || entry == "candle-ug?/cuda"
}

pub fn write(arguments: &Arguments, folder: &Path) -> Result<()> {
    let kernelgen = kernelgen(arguments)?;
    edit(&folder.join("candle-core/Cargo.toml"), |manifest| {
        let dependencies = table(manifest, "dependencies")?;
        for name in ABSENT {
            dependencies.remove(name).ok_or_else(|| format!("no dependency {name}"))?;
        }
        dependencies.insert("kernelgen", kernelgen.clone());
        let features = table(manifest, "features")?;
        for (name, needed) in features.iter_mut() {
            let needed = needed.as_array_mut().ok_or_else(|| format!("the feature {name} is not a list"))?;
            needed.retain(|each| !each.as_str().is_some_and(is_absent));
        }
        features.insert("cuda", list(&["dep:kernelgen"]));
        switch_on(features)
    })?;
    edit(&folder.join("candle-nn/Cargo.toml"), |manifest| {
        let candle = table(manifest, "dependencies")?.get_mut("candle").and_then(Item::as_table_like_mut);
        candle.ok_or("no dependency candle")?.insert("path", value("../candle-core"));
        switch_on(table(manifest, "features")?)
    })?;
    let (_, flash) = backend::FILES.iter().find(|(name, _)| *name == "flash_attn/Cargo.toml.in").expect("embedded");
    output::write(&folder.join("candle-flash-attn/Cargo.toml"), &flash.replace("@VERSION@", &arguments.version))
}

fn edit(path: &Path, change: impl FnOnce(&mut DocumentMut) -> Result<()>) -> Result<()> {
    let at = |reason: String| format!("{}: {reason}", path.display());
    let mut manifest: DocumentMut =
        output::read(path)?.parse().map_err(|error: toml_edit::TomlError| at(error.to_string()))?;
    change(&mut manifest).map_err(at)?;
    output::write(path, &manifest.to_string())
}

fn table<'a>(manifest: &'a mut DocumentMut, name: &str) -> Result<&'a mut Table> {
    manifest.get_mut(name).and_then(Item::as_table_mut).ok_or_else(|| format!("no [{name}]"))
}

fn list(names: &[&str]) -> Item {
    value(names.iter().copied().collect::<Array>())
}

/// Makes `cuda` a default feature.
fn switch_on(features: &mut Table) -> Result<()> {
    let default = features.entry("default").or_insert(list(&[])).as_array_mut().ok_or("default is not a list")?;
    default.push("cuda");
    Ok(())
}

/// The dependency on kernelgen: its folder, or the registry's of this program's version.
fn kernelgen(arguments: &Arguments) -> Result<Item> {
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).parent().map(Path::to_path_buf);
    let is_kernelgen = |folder: &PathBuf| {
        let manifest = std::fs::read_to_string(folder.join("Cargo.toml")).unwrap_or_default();
        manifest.lines().any(|line| line == "name = \"kernelgen\"")
    };
    let folder = match &arguments.kernelgen {
        Some(folder) if !is_kernelgen(folder) => return Err(format!("{}: not the crate kernelgen", folder.display())),
        Some(folder) => Some(folder.clone()),
        None => beside.filter(is_kernelgen),
    };
    let mut dependency = InlineTable::new();
    match folder {
        Some(folder) => {
            let folder = std::fs::canonicalize(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
            let text = folder.to_str().ok_or_else(|| format!("{}: not a name in UTF-8", folder.display()))?;
            dependency.insert("path", text.into());
        }
        None => {
            dependency.insert("version", env!("CARGO_PKG_VERSION").into());
        }
    }
    dependency.insert("optional", true.into());
    Ok(Item::Value(Value::InlineTable(dependency)))
}
