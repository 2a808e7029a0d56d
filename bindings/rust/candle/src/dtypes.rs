//! Which of the dtypes that kernels take, and of those that candle only stores, a version has.

use crate::source::Source;
use crate::{output, Result};
use std::path::Path;
use syn::Item;

/// candle's name of the dtype, which is the library's too, and the type of its elements.
const COMPUTED: &[(&str, &str)] = &[
    ("U8", "u8"),
    ("U32", "u32"),
    ("I16", "i16"),
    ("I32", "i32"),
    ("I64", "i64"),
    ("BF16", "half::bf16"),
    ("F16", "half::f16"),
    ("F32", "f32"),
    ("F64", "f64"),
    ("F8E4M3", "float8::F8E4M3"),
];
const STORED: &[&str] = &["F6E2M3", "F6E3M2", "F4", "F8E8M0"];

/// Writes the list as a macro of the back end. Gives a note on each dtype that it does not know.
pub fn write(core: &Path) -> Result<Vec<String>> {
    let source = Source::read(&core.join("src/dtype.rs"))?;
    let Some(list) = source.file.items.iter().find_map(|item| match item {
        Item::Enum(list) if list.ident == "DType" => Some(list),
        _ => None,
    }) else {
        return Err(format!("{}: the enum DType is not there", source.path.display()));
    };
    let has = |name: &str| list.variants.iter().any(|variant| variant.ident == name);
    let computed: Vec<String> =
        COMPUTED.iter().filter(|(name, _)| has(name)).map(|(name, kind)| format!("{name}({kind})")).collect();
    let stored: Vec<&str> = STORED.iter().copied().filter(|name| has(name)).collect();
    let text = format!(
        "//! The dtypes of this version of candle.\n\nmacro_rules! dtypes {{\n    ($apply:ident) => {{\n        \
         $apply!(computed: {}; stored: {});\n    }};\n}}\npub(super) use dtypes;\n",
        computed.join(", "),
        stored.join(", ")
    );
    output::write(&core.join("src/cuda_backend/dtypes.rs"), &text)?;
    let known = |name: &str| COMPUTED.iter().any(|(each, _)| *each == name) || STORED.contains(&name);
    let unknown = list.variants.iter().filter(|variant| !known(&variant.ident.to_string()));
    Ok(unknown
        .map(|variant| {
            let line = variant.ident.span().start().line;
            format!(
                "{}:{line}: no kernel takes dtype {}; tensors of it stay on Device::Cpu",
                source.path.display(),
                variant.ident
            )
        })
        .collect())
}
