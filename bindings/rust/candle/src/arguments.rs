//! The command line.

use crate::Result;
use std::path::PathBuf;

pub const USAGE: &str = "\
usage: kernelgen-candle VERSION --out DIR [--from DIR] [--kernelgen DIR]

Writes candle-core and candle-nn of VERSION (0.11.0) to DIR, with kernel-gen's back end for the feature `cuda`, and
candle-flash-attn over the same back end. DIR is new, empty, or one that this program wrote.

  --out DIR        where to
  --from DIR       takes the crates from DIR/candle-core-VERSION or DIR/candle-core (an unpacked .crate, a vendor
                   folder) and asks cargo for nothing
  --kernelgen DIR  the crate kernelgen; without it, the folder above this program's own, or the registry's
";

pub struct Arguments {
    /// candle's, as "0.11.0".
    pub version: String,
    pub out: PathBuf,
    pub from: Option<PathBuf>,
    pub kernelgen: Option<PathBuf>,
}

/// None where help is wanted.
pub fn parse(mut given: impl Iterator<Item = String>) -> Result<Option<Arguments>> {
    let (mut version, mut out, mut from, mut kernelgen) = (None, None, None, None);
    while let Some(argument) = given.next() {
        let folder = match argument.as_str() {
            "--help" | "-h" => return Ok(None),
            "--out" => &mut out,
            "--from" => &mut from,
            "--kernelgen" => &mut kernelgen,
            option if option.starts_with('-') => return Err(format!("unknown option {option}")),
            _ if version.is_some() => return Err(format!("one version, not also {argument}")),
            _ => {
                numbers(&argument)?;
                version = Some(argument);
                continue;
            }
        };
        *folder = Some(PathBuf::from(given.next().ok_or_else(|| format!("{argument}: a folder is missing"))?));
    }
    Ok(Some(Arguments {
        version: version.ok_or("candle's version is missing")?,
        out: out.ok_or("--out DIR is missing")?,
        from,
        kernelgen,
    }))
}

/// The three numbers of a version.
pub type Version = (u32, u32, u32);

pub fn numbers(version: &str) -> Result<Version> {
    let parts: Vec<u32> = version.split('.').map_while(|part| part.parse().ok()).collect();
    match parts[..] {
        [major, minor, patch] if version.split('.').count() == 3 => Ok((major, minor, patch)),
        _ => Err(format!("{version}: not a version of candle; an example is 0.11.0")),
    }
}
