//! A file of candle's: its items, found by name, and edits of their text.

use crate::output;
use crate::Result;
use proc_macro2::{Span, TokenStream};
use quote::ToTokens;
use std::ops::Range;
use std::path::{Path, PathBuf};
use syn::spanned::Spanned;
use syn::visit::Visit;
use syn::{Attribute, Block, ImplItem, Item, Meta, Type};

pub struct Source {
    pub path: PathBuf,
    pub text: String,
    pub file: syn::File,
    edits: Vec<(Range<usize>, String)>,
}

/// An item that a rule names.
pub enum Found<'a> {
    Function { whole: Span, block: &'a Block },
    Other(Span),
}

impl Found<'_> {
    pub fn whole(&self) -> Range<usize> {
        match self {
            Found::Function { whole, .. } | Found::Other(whole) => whole.byte_range(),
        }
    }
}

/// Whether an item is compiled with the feature `cuda` and no other, on Linux.
pub fn is_compiled(attributes: &[Attribute]) -> bool {
    attributes
        .iter()
        .filter(|each| each.path().is_ident("cfg"))
        .all(|each| each.parse_args().is_ok_and(|meta| holds(&meta)))
}

fn holds(condition: &Meta) -> bool {
    match condition {
        Meta::NameValue(pair) => {
            let value = match &pair.value {
                syn::Expr::Lit(syn::ExprLit { lit: syn::Lit::Str(text), .. }) => text.value(),
                _ => return false,
            };
            pair.path.is_ident("feature") && value == "cuda" || pair.path.is_ident("target_os") && value == "linux"
        }
        Meta::List(list) => {
            let nested = list.parse_args_with(syn::punctuated::Punctuated::<Meta, syn::Token![,]>::parse_terminated);
            let Ok(nested) = nested else { return false };
            match () {
                _ if list.path.is_ident("not") => !nested.iter().all(holds),
                _ if list.path.is_ident("any") => nested.iter().any(holds),
                _ => nested.iter().all(holds),
            }
        }
        Meta::Path(_) => false,
    }
}

/// The name of a type without its path and generics.
pub fn type_name(kind: &Type) -> Option<String> {
    match kind {
        Type::Path(path) => path.path.segments.last().map(|segment| segment.ident.to_string()),
        _ => None,
    }
}

/// The text between a block's braces.
fn inside(block: &Block) -> Range<usize> {
    let braces = block.brace_token.span;
    braces.open().byte_range().end..braces.close().byte_range().start
}

impl Source {
    pub fn read(path: &Path) -> Result<Self> {
        Self::parse(path, output::read(path)?)
    }

    pub fn parse(path: &Path, text: String) -> Result<Self> {
        let file = syn::parse_file(&text)
            .map_err(|error| format!("{}:{}: {error}", path.display(), error.span().start().line))?;
        Ok(Self { path: path.to_path_buf(), text, file, edits: Vec::new() })
    }

    /// The item called "function", "Type::method", "mod name" or "use name", also in modules of the file.
    pub fn find(&self, name: &str) -> Option<Found<'_>> {
        find(&self.file.items, name)
    }

    pub fn replace(&mut self, range: Range<usize>, text: &str) {
        self.edits.push((range, text.to_string()));
    }

    /// The text with the edits, none of which overlap.
    pub fn edited(mut self) -> String {
        self.edits.sort_by_key(|(range, _)| std::cmp::Reverse(range.start));
        for (range, text) in self.edits {
            self.text.replace_range(range, &text);
        }
        self.text
    }
}

fn find<'a>(items: &'a [Item], name: &str) -> Option<Found<'a>> {
    items.iter().find_map(|item| match item {
        Item::Fn(function) if function.sig.ident == name && is_compiled(&function.attrs) => {
            Some(Found::Function { whole: function.span(), block: &function.block })
        }
        Item::Mod(module) if is_compiled(&module.attrs) => {
            if name.strip_prefix("mod ").is_some_and(|wanted| module.ident == wanted) {
                return Some(Found::Other(module.span()));
            }
            find(&module.content.as_ref()?.1, name)
        }
        Item::Use(line) if is_compiled(&line.attrs) => {
            let wanted: TokenStream = name.strip_prefix("use ")?.parse().ok()?;
            (line.tree.to_token_stream().to_string() == wanted.to_string()).then(|| Found::Other(line.span()))
        }
        Item::Impl(block) if is_compiled(&block.attrs) => {
            let (owner, method) = name.split_once("::")?;
            if type_name(&block.self_ty)? != owner {
                return None;
            }
            block.items.iter().find_map(|item| match item {
                ImplItem::Fn(function) if function.sig.ident == method && is_compiled(&function.attrs) => {
                    Some(Found::Function { whole: function.span(), block: &function.block })
                }
                _ => None,
            })
        }
        _ => None,
    })
}

/// The text of a function between its braces.
pub fn body(found: &Found) -> Option<Range<usize>> {
    match found {
        Found::Function { block, .. } => Some(inside(block)),
        Found::Other(_) => None,
    }
}

/// The bodies of compiled match arms whose pattern begins with a path, "Device::Cuda", in a function.
pub fn arm_bodies(found: &Found, pattern: &str) -> Vec<Range<usize>> {
    struct Arms<'a>(&'a str, Vec<Range<usize>>);
    impl<'ast> Visit<'ast> for Arms<'_> {
        fn visit_arm(&mut self, arm: &'ast syn::Arm) {
            let path = match &arm.pat {
                syn::Pat::TupleStruct(pattern) => &pattern.path,
                _ => return syn::visit::visit_arm(self, arm),
            };
            let name: Vec<String> = path.segments.iter().map(|segment| segment.ident.to_string()).collect();
            if name.join("::") == self.0 && is_compiled(&arm.attrs) {
                self.1.push(arm.body.span().byte_range());
            } else {
                syn::visit::visit_arm(self, arm);
            }
        }
    }
    let mut arms = Arms(pattern, Vec::new());
    if let Found::Function { block, .. } = found {
        arms.visit_block(block);
    }
    arms.1
}
