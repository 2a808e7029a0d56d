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

/// A line for each location in a program or library that begins with the file `root`: in it and in the modules that the
/// feature compiles, without those at `ours`.
pub fn find(root: &Path, ours: &[PathBuf]) -> Result<Vec<String>> {
    scan(root, &root.with_file_name(""), ours)
}

/// `folder` is where the file's own modules are.
fn scan(file: &Path, folder: &Path, ours: &[PathBuf]) -> Result<Vec<String>> {
    let source = Source::read(file)?;
    let mut names = Names::default();
    names.visit_file(&source.file);
    names.0.dedup();
    let mut found: Vec<String> =
        names.0.iter().map(|(line, name)| format!("{}:{line}: {name} is not replaced", file.display())).collect();
    for name in source.file.items.iter().filter_map(module_elsewhere) {
        let below = folder.join(&name);
        let files = [below.with_extension("rs"), below.join("mod.rs")];
        let module = files.iter().find(|each| each.is_file() && !ours.iter().any(|folder| each.starts_with(folder)));
        if let Some(module) = module {
            found.extend(scan(module, &below, ours)?);
        }
    }
    Ok(found)
}

/// The name of a compiled module that is another file.
fn module_elsewhere(item: &Item) -> Option<String> {
    match item {
        Item::Mod(module) if module.content.is_none() && is_compiled(&module.attrs) => Some(module.ident.to_string()),
        _ => None,
    }
}

/// As `find`, for each file of a folder of programs.
pub fn find_in_programs(folder: &Path) -> Result<Vec<String>> {
    let entries = std::fs::read_dir(folder).into_iter().flatten();
    let mut roots: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    roots.retain(|path| path.extension().is_some_and(|extension| extension == "rs"));
    roots.sort();
    Ok(roots.iter().map(|root| find(root, &[])).collect::<Result<Vec<_>>>()?.concat())
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
