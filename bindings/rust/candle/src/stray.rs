//! Code that the feature `cuda` compiles and that names candle's own CUDA back end still.

use crate::source::{is_compiled, Source};
use crate::Result;
use std::path::{Path, PathBuf};
use syn::visit::Visit;
use syn::{Arm, Attribute, Expr, Field, ImplItem, Item, Stmt, UseTree};

/// What our back end does not have.
const ABSENT: &[&str] = &[
    "cudarc",
    "candle_kernels",
    "CudaStorageSlice",
    "as_cuda_slice",
    "wrap_cuda_slice",
    "get_or_load_func",
    "cuda_stream",
];

/// A line for each place, in the files below `folder` that are not below `ours`.
pub fn find(folder: &Path, ours: &[PathBuf]) -> Result<Vec<String>> {
    let mut places = Vec::new();
    let Ok(entries) = std::fs::read_dir(folder) else { return Ok(places) };
    let mut paths: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    paths.sort();
    for path in paths.iter().filter(|path| !ours.contains(path)) {
        if path.is_dir() {
            places.extend(find(path, ours)?);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            let source = Source::read(path)?;
            let mut names = Names::default();
            names.visit_file(&source.file);
            names.0.dedup();
            let lines = names.0.iter();
            places.extend(lines.map(|(line, name)| format!("{}:{line}: {name} is not replaced", path.display())));
        }
    }
    Ok(places)
}

/// Line and name of each use.
#[derive(Default)]
struct Names(Vec<(usize, String)>);

impl Names {
    fn see(&mut self, name: &syn::Ident) {
        if ABSENT.iter().any(|absent| name == absent) {
            self.0.push((name.span().start().line, name.to_string()));
        }
    }
}

macro_rules! only_compiled {
    ($($visit:ident($kind:ty) $attributes:expr;)*) => {$(
        fn $visit(&mut self, node: &'ast $kind) {
            let attributes: fn(&$kind) -> &[Attribute] = $attributes;
            if is_compiled(attributes(node)) {
                syn::visit::$visit(self, node);
            }
        }
    )*};
}

impl<'ast> Visit<'ast> for Names {
    only_compiled! {
        visit_item(Item) item_attributes;
        visit_impl_item(ImplItem) |item| match item { ImplItem::Fn(function) => &function.attrs, _ => &[] };
        visit_stmt(Stmt) |statement| match statement {
            Stmt::Local(local) => &local.attrs,
            Stmt::Expr(expression, _) => expression_attributes(expression),
            _ => &[],
        };
        visit_arm(Arm) |arm| &arm.attrs;
        visit_field(Field) |field| &field.attrs;
    }

    fn visit_path(&mut self, path: &'ast syn::Path) {
        path.segments.iter().for_each(|segment| self.see(&segment.ident));
        syn::visit::visit_path(self, path);
    }

    fn visit_use_tree(&mut self, tree: &'ast UseTree) {
        match tree {
            UseTree::Path(path) => self.see(&path.ident),
            UseTree::Name(name) => self.see(&name.ident),
            UseTree::Rename(rename) => self.see(&rename.ident),
            _ => {}
        }
        syn::visit::visit_use_tree(self, tree);
    }

    fn visit_expr_method_call(&mut self, call: &'ast syn::ExprMethodCall) {
        self.see(&call.method);
        syn::visit::visit_expr_method_call(self, call);
    }
}

fn item_attributes(item: &Item) -> &[Attribute] {
    match item {
        Item::Fn(item) => &item.attrs,
        Item::Impl(item) => &item.attrs,
        Item::Mod(item) => &item.attrs,
        Item::Struct(item) => &item.attrs,
        Item::Use(item) => &item.attrs,
        Item::Const(item) => &item.attrs,
        Item::Static(item) => &item.attrs,
        Item::Type(item) => &item.attrs,
        _ => &[],
    }
}

fn expression_attributes(expression: &Expr) -> &[Attribute] {
    match expression {
        Expr::Block(block) => &block.attrs,
        Expr::If(block) => &block.attrs,
        Expr::Call(call) => &call.attrs,
        Expr::MethodCall(call) => &call.attrs,
        _ => &[],
    }
}
