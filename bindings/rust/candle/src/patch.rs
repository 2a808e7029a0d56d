//! Puts the back end into copies of candle's crates.

use crate::arguments::{numbers, Arguments};
use crate::crates::Sources;
use crate::rules::{self, Edit, Rule, Tree};
use crate::source::{arm_bodies, body, Source};
use crate::{backend, dtypes, fit, manifest, output, stray, Result};
use std::collections::BTreeMap;
use std::path::Path;

/// candle-flash-attn is a crate of our own with candle's functions.
const FLASH_ATTENTION: &[Tree] = &[Tree { from: "flash_attn/src", to: "src", instead_of: &[] }];

/// Writes all crates to `folder`. Gives what does not stop a user's program but should be known.
pub fn all(arguments: &Arguments, sources: &Sources, folder: &Path) -> Result<Vec<String>> {
    let (core, nn, flash) = (folder.join("candle-core"), folder.join("candle-nn"), folder.join("candle-flash-attn"));
    output::copy(&sources.core, &core)?;
    output::copy(&sources.nn, &nn)?;
    let version = numbers(&arguments.version)?;
    let mut problems = Vec::new();
    for (root, trees, list) in [
        (&core, rules::core::TREES, rules::core::RULES),
        (&nn, rules::nn::TREES, rules::nn::RULES),
        (&flash, FLASH_ATTENTION, &[]),
    ] {
        trees.iter().try_for_each(|tree| plant(root, tree))?;
        let wanted = list.iter().filter(|rule| rule.is_for(version));
        apply(root, wanted, &mut problems)?;
    }
    let mut notes = dtypes::write(&core)?;
    fit::to_traits(&core, &mut problems)?;
    manifest::write(arguments, folder)?;
    let ours = |root: &Path, trees: &[Tree]| trees.iter().map(|tree| root.join(tree.to)).collect::<Vec<_>>();
    problems.extend(stray::find(&core.join("src/lib.rs"), &ours(&core, rules::core::TREES))?);
    problems.extend(stray::find(&nn.join("src/lib.rs"), &ours(&nn, rules::nn::TREES))?);
    for tests in [core.join("tests"), nn.join("tests")] {
        notes.extend(stray::find_in_programs(&tests)?);
    }
    let prefix = format!("{}/", folder.display());
    if problems.is_empty() {
        return Ok(notes.iter().map(|note| note.replace(&prefix, "")).collect());
    }
    let list: Vec<String> = problems.iter().map(|problem| problem.replace(&prefix, "  ")).collect();
    Err(format!("candle {} has locations that this program does not know:\n{}", arguments.version, list.join("\n")))
}

/// Writes the files of a folder of backend/ in the place of candle's.
fn plant(root: &Path, tree: &Tree) -> Result<()> {
    for path in tree.instead_of {
        let path = root.join(path);
        let removed = if path.is_dir() { std::fs::remove_dir_all(&path) } else { std::fs::remove_file(&path) };
        match removed {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                return Err(format!("{}: {error}", path.display()));
            }
            _ => {}
        }
    }
    let files =
        backend::FILES.iter().filter_map(|(name, text)| Some((name.strip_prefix(tree.from)?.strip_prefix('/')?, text)));
    for (name, text) in files {
        output::write(&root.join(tree.to).join(name), text)?;
    }
    Ok(())
}

fn apply<'a>(root: &Path, rules: impl Iterator<Item = &'a Rule>, problems: &mut Vec<String>) -> Result<()> {
    let mut files: BTreeMap<&str, Vec<&Rule>> = BTreeMap::new();
    for rule in rules {
        files.entry(rule.file).or_default().push(rule);
    }
    for (name, rules) in files {
        let path = root.join(name);
        if !path.is_file() {
            problems.push(format!("{}: there is no such file, which should have {}", path.display(), rules[0].item));
            continue;
        }
        let mut source = Source::read(&path)?;
        for rule in rules {
            if let Err(problem) = edit(&mut source, rule) {
                problems.push(format!("{}: {problem}", path.display()));
            }
        }
        output::write(&path, &source.edited())?;
    }
    Ok(())
}

pub fn edit(source: &mut Source, rule: &Rule) -> Result<()> {
    match rule.edit {
        Edit::Add(text) => {
            let end = source.text.len();
            source.replace(end..end, text);
            return Ok(());
        }
        Edit::WithoutFeature => {
            let condition = "feature = \"cuda\"";
            let starts: Vec<usize> = source.text.match_indices(condition).map(|(start, _)| start).collect();
            starts.iter().for_each(|&start| source.replace(start..start + condition.len(), "any()"));
            return Ok(());
        }
        _ => {}
    }
    let item = rule.item;
    let found = source.find(item).ok_or_else(|| format!("{item} is not there"))?;
    let no_body = || format!("{item} has no body");
    match rule.edit {
        Edit::Body(text) => {
            let range = body(&found).ok_or_else(no_body)?;
            source.replace(range, &format!(" {text} "));
        }
        Edit::Prepend(text) => {
            let start = body(&found).ok_or_else(no_body)?.start;
            source.replace(start..start, &format!("\n{text}"));
        }
        Edit::Remove => {
            let range = found.whole();
            source.replace(range, "");
        }
        Edit::After(text) => {
            let end = found.whole().end;
            source.replace(end..end, &format!("\n\n    {text}"));
        }
        Edit::Arm(pattern, text) => match arm_bodies(&found, pattern)[..] {
            [ref range] => {
                let range = range.clone();
                source.replace(range, text);
            }
            ref others => return Err(format!("{item} has {} match arms {pattern}, not one", others.len())),
        },
        Edit::Add(_) | Edit::WithoutFeature => unreachable!("done above"),
    }
    Ok(())
}
