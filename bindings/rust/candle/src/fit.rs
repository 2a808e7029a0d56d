//! Fits the back end's implementations to the traits of a version: methods that its traits lack go, and methods that the back
//! end lacks are problems.

use crate::source::{type_name, Source};
use crate::{output, Result};
use std::collections::BTreeMap;
use std::path::Path;
use syn::spanned::Spanned;
use syn::{ImplItem, Item, TraitItem};

const IMPLEMENTATIONS: &[(&str, &str)] =
    &[("src/cuda_backend/storage.rs", "BackendStorage"), ("src/cuda_backend/device.rs", "BackendDevice")];

pub fn to_traits(core: &Path, problems: &mut Vec<String>) -> Result<()> {
    let traits = Source::read(&core.join("src/backend.rs"))?;
    for (file, name) in IMPLEMENTATIONS {
        let methods = methods(&traits, name)?;
        let mut source = Source::read(&core.join(file))?;
        let Some(block) = implementation(&source, name) else {
            return Err(format!("{}: no implementation of {name} there", source.path.display()));
        };
        let written: Vec<(String, std::ops::Range<usize>)> = block
            .iter()
            .filter_map(|item| match item {
                ImplItem::Fn(function) => Some((function.sig.ident.to_string(), function.span().byte_range())),
                _ => None,
            })
            .collect();
        for (method, (line, has_default)) in &methods {
            if !has_default && !written.iter().any(|(each, _)| each == method) {
                problems.push(format!("{}:{line}: the back end has no {name}::{method}", traits.path.display()));
            }
        }
        for (method, range) in written {
            if !methods.contains_key(&method) {
                source.replace(range, "");
            }
        }
        let path = source.path.clone();
        output::write(&path, &source.edited())?;
    }
    Ok(())
}

/// Line of each method, and whether the trait itself has a body for it.
fn methods(source: &Source, name: &str) -> Result<BTreeMap<String, (usize, bool)>> {
    let items = source.file.items.iter().find_map(|item| match item {
        Item::Trait(item) if item.ident == name => Some(&item.items),
        _ => None,
    });
    let items = items.ok_or_else(|| format!("{}: the trait {name} is not there", source.path.display()))?;
    Ok(items
        .iter()
        .filter_map(|item| match item {
            TraitItem::Fn(function) => {
                let line = function.sig.ident.span().start().line;
                Some((function.sig.ident.to_string(), (line, function.default.is_some())))
            }
            _ => None,
        })
        .collect())
}

fn implementation<'a>(source: &'a Source, name: &str) -> Option<&'a [ImplItem]> {
    source.file.items.iter().find_map(|item| match item {
        Item::Impl(block) => {
            let (_, path, _) = block.trait_.as_ref()?;
            let is_wanted = path.segments.last()?.ident == name && type_name(&block.self_ty).is_some();
            is_wanted.then_some(&block.items[..])
        }
        _ => None,
    })
}
