"""Writes the generated modules of the Rust crate from the C interface: c.rs, which declares it, and operations.rs, two
functions an operation: one that makes its results, one with `out` and stream."""

import re

from c_header import Enum, Function, Struct, function_parts
from operation import ERRORS, camel, parts, short, spoken

NOTICE = "Written by bindings/generate.py from the C headers; do not edit."
WIDTH = 110
NUMBERS = {"int": "c_int", "double": "f64", "char": "c_char", "size_t": "usize", "int64_t": "i64", "int32_t": "i32",
           "uint64_t": "u64", "uint32_t": "u32", "uint16_t": "u16", "uint8_t": "u8", "void": "c_void"}
# Options of an operation are a struct of ours: C's has addresses in it.
OPTIONS = "kernelgen_attention_options"

# Those of Rust's words that C takes as names: The Rust Reference, "Keywords".
KEYWORDS = frozenset("abstract as async await become box crate dyn final fn impl in let loop macro match mod move mut "
                     "override priv pub ref self super trait try type unsafe unsized use virtual where yield".split())


def shouted(name):
    return name[len("KERNELGEN_"):].upper()


class RustTypes:
    """How a type of C is called in Rust."""

    def __init__(self, interface):
        self.names = dict(NUMBERS)
        self.names.update((one.name, "c_int") for one in interface.all(Enum) if one.name)
        for header in interface.headers:
            self.names.update((alias, NUMBERS[real]) for alias, real in header.aliases)
            self.names.update((handle, camel_or_plain(handle)) for handle in header.handles)
        self.names.update((one.name, camel(one.name)) for one in interface.all(Struct))

    def __call__(self, text):
        if function := function_parts(text):
            result = "" if function[0] == "void" else f" -> {self(function[0])}"
            return f"Option<unsafe extern \"C\" fn({', '.join(map(self, function[1]))}){result}>"
        pieces = re.findall(r"\*|const|[\w]+", text.replace("struct ", ""))
        constant = pieces[0] == "const"
        pieces = pieces[1:] if constant else pieces
        made, pieces = self.names[pieces[0]], pieces[1:]
        for piece in pieces:
            if piece == "*":
                made, constant = f"*{'const' if constant else 'mut'} {made}", False
            else:  # * const
                constant = True
        return made


def field(name):
    return name + "_" if name in KEYWORDS else name


def camel_or_plain(name):
    return camel(name) if name.startswith("kernelgen_") else name


def doc(text, indent=""):
    return [f"{indent}/// {line}".rstrip() for line in text.split("\n")] if text else []


def wrapped(start, given, end, indent):
    """One line where it fits, else one a parameter, as rustfmt has it."""
    line = start + ", ".join(given) + end
    if len(line) <= WIDTH:
        return line
    return "\n".join([start, *(f"{indent}    {each}," for each in given), indent + end])


def declarations(interface):
    """The text of c.rs."""
    rust = RustTypes(interface)
    out = [f"//! The C interface as it is: kernelgen/kernelgen.h. {NOTICE}",
           "//!", "//! For what the safe modules leave out; the C headers say what each function does.",
           "#![allow(missing_docs)]", "", "use std::os::raw::{c_char, c_int, c_void};", ""]
    for handle in (handle for header in interface.headers for handle in header.handles):
        out += ["#[repr(C)]", f"pub struct {camel_or_plain(handle)} {{", "    _private: [u8; 0],", "}"]
    out.append("")
    for header in interface.headers:
        for macro in header.macros:
            number = re.fullmatch(r"(0x[0-9a-fA-F]+|\d+)u", macro.value)
            if number:
                out.append(f"pub const {shouted(macro.name)}: u32 = {number[1]};")
    for enum in interface.all(Enum):
        out += [f"pub const {shouted(one.name)}: i32 = {one.value};" for one in enum.constants]
    for struct in interface.all(Struct):
        defaults = all(not member.type.endswith("*") and not member.count for member in struct.members)
        derived = "Clone, Copy, Debug, PartialEq" if defaults else "Clone, Copy"
        out += ["", "#[repr(C)]", f"#[derive({derived})]", f"pub struct {camel(struct.name)} {{"]
        for member in struct.members:
            kind = rust(member.type)
            out.append(f"    pub {field(member.name)}: {f'[{kind}; {member.count}]' if member.count else kind},")
        out.append("}")
    out += ["", "extern \"C\" {"]
    for function in interface.all(Function):
        given = [f"{field(each.name)}: {rust(each.type)}" for each in function.parameters]
        result = "" if function.result == "void" else f" -> {rust(function.result)}"
        out.append(wrapped(f"    pub fn {function.name}(", given, f"){result};", "    "))
    out += ["}", "", "impl crate::DType {"]
    dtypes = next(enum for enum in interface.all(Enum) if enum.constants[0].name == "KERNELGEN_U8")
    for one in dtypes.constants:
        if one.name != "KERNELGEN_DTYPE_COUNT":
            said = f"{one.comment[0].upper()}{one.comment[1:]}." if one.comment else f"`{shouted(one.name).lower()}`."
            out += [f"    /// {said}", f"    pub const {shouted(one.name)}: Self = Self({one.value});"]
    out += ["}", "", "/// Status codes and what they are here.", "pub(crate) const CODES: &[(i32, crate::Code)] = &["]
    for status in next(enum for enum in interface.all(Enum) if enum.name == "kernelgen_status").constants[1:]:
        out.append(f"    ({status.value}, crate::Code::{ERRORS[status.name[len('KERNELGEN_'):]]}),")
    return "\n".join([*out, "];", ""])


def rustic(text):
    """The text of a comment with Rust's names; brackets are shapes, not links."""
    def method(owner, name):
        return f"`{'DType' if owner == 'dtype' else owner.capitalize()}::{name}`"

    return re.sub(r"([\[\]<|])", r"\\\1", spoken(text, method, "true"))


SINGLES = {
    "int": ("bool", "c_int::from({0})"), "int64_t": ("i64", "{0}"), "double": ("f64", "{0}"),
    "kernelgen_scalar": ("impl Into<Scalar>", "{0}.into().0"), "kernelgen_dtype": ("DType", "{0}.0"),
    "kernelgen_size2": ("impl Into<Size2>", "{0}.into()"), "const int64_t*": ("Option<i64>", "address({0}.as_ref())"),
    "const double*": ("Option<f64>", "address({0}.as_ref())"), "const kernelgen_device*": ("&Device", "{0}.raw()"),
    "const char*": ("&str", "{0}.as_ptr()"),
}


def operation(function, structs):
    """Both functions of an operation."""
    name, said = short(function.name), "\n\n".join(
        filter(None, (rustic(function.comment), rustic(function.header.comment))))
    given, before, passed, outs, results, names = [], [], [], [], [], []
    for part in parts(function, structs):
        if part.kind == "out":
            outs.append(part.name)
            passed.append(f"raw_or_null({part.name})")
        elif part.kind == "stream":
            passed.append("raw_or_null(stream)")
        elif part.kind == "result":
            results.append(part.name)
            passed.append(f"{part.name}_made")
        else:
            names.append(part.name)
            kind, converted, prepared = described(part)
            given.append(f"{part.name}: {kind}")
            passed += converted
            before += prepared
    result = {0: "()", 1: "Tensor", 2: "(Tensor, Tensor)"}[len(results)]
    options = [f"{out}: Option<&Tensor>" for out in outs] + ["stream: Option<&Stream>"]
    # One `impl Into` is taken by both functions; the second gets what the first was given.
    nones = ", ".join([*names, *["None"] * len(options)])
    extra = (f"\n\nAs [`{name}`], with results written to `out…` where those are Some, in a stream." if outs else
             f"\n\nAs [`{name}`], in a stream.").strip()
    lines = [*doc(said), wrapped(f"pub fn {name}(", given, f") -> Result<{result}> {{", ""),
             f"    {name}_with({nones})", "}", "", *doc(extra),
             *(["#[allow(clippy::too_many_arguments)]"] if len(given) + len(options) > 7 else []),
             wrapped(f"pub fn {name}_with(", [*given, *options], f") -> Result<{result}> {{", ""),
             *(f"    {line}" for line in before)]
    call = wrapped(f"    unsafe {{ c::{function.name}(", passed, ") }", "    ")
    if results:
        made = ", ".join(f"{one}_made" for one in results)
        lines += [f"    {'made' if len(results) == 1 else 'made_both'}(|{made}| {call.strip()})", "}"]
    else:
        lines += [f"    check({call.strip()})", "}"]
    return "\n".join(lines)


def described(part):
    """A parameter's type, how it is passed, and what comes before the call."""
    name = part.name
    if part.kind == "tensor":
        return "&Tensor", [f"{name}.raw()"], []
    if part.kind == "optional":
        return "Option<&Tensor>", [f"raw_or_null({name})"], []
    if part.kind == "numbers":
        return "&[i64]", [f"{name}.len()", f"{name}.as_ptr()"], []
    if part.kind == "tensors":
        return "&[&Tensor]", [f"{name}.as_ptr()", f"{name}.len()"], [
            f"let {name}: Vec<_> = {name}.iter().map(|each| each.raw() as *const c::Tensor).collect();"]
    if part.kind == "scalars":
        return "&[Scalar]", [f"{name}.as_ptr().cast()", f"{name}.len()"], []
    if part.kind == "struct":
        if part.by_address:
            return f"&{camel(part.struct.name)}", [f"&{name}"], [f"let {name} = {name}.raw();"]
        return camel(part.struct.name), [name], []
    kind, converted = SINGLES[part.parameter.type]
    before = [f'let {name} = text({name}, "{name}")?;'] if kind == "&str" else []
    return kind, [converted.format(name)], before


def plain(value):
    return "Size2 { height: %d, width: %d }" % tuple(value) if isinstance(value, list) else str(value)


def options(struct):
    """A struct of options in Rust: tensors are references, and all is left out by default."""
    name = camel(struct.name)
    lines = [*doc(rustic(struct.comment)), "#[derive(Clone, Copy, Debug)]", f"pub struct {name}<'a> {{"]
    defaults, given = [], []
    for member, value in zip(struct.members, struct.defaults):
        if member.name == "size":
            given.append(f"size: std::mem::size_of::<c::{name}>(),")
            continue
        kind, default, raw = {
            "const kernelgen_tensor*": ("Option<&'a Tensor>", "None", f"raw_or_null(self.{member.name})"),
            "int": ("bool", "false", f"c_int::from(self.{member.name})"),
        }.get(member.type, (NUMBERS.get(member.type), str(value), f"self.{member.name}"))
        lines += [*doc(rustic(member.comment), "    "), f"    pub {member.name}: {kind},"]
        defaults.append(f"            {member.name}: {default},")
        given.append(f"{member.name}: {raw},")
    lines += ["}", "", f"impl Default for {name}<'_> {{", "    fn default() -> Self {", "        Self {", *defaults,
              "        }", "    }", "}", "", f"impl {name}<'_> {{", f"    fn raw(&self) -> c::{name} {{",
              f"        c::{name} {{", *(f"            {line}" for line in given), "        }", "    }", "}"]
    return "\n".join(lines)


def plain_struct(struct):
    name = camel(struct.name)
    members = [f"            {member.name}: {plain(value)}," for member, value in zip(struct.members, struct.defaults)]
    return "\n".join([f"impl Default for {name} {{", *doc(rustic(struct.comment), "    "), "    fn default() -> Self {",
                      "        Self {", *members, "        }", "    }", "}"])


def operations(interface):
    """The text of operations.rs."""
    common = next(header for header in interface.headers if header.path.endswith("/operations.h"))
    structs = {one.name: one for one in interface.all(Struct)}
    errors = rustic(common.comment).split("\n\n")[-1].split("\n")
    out = ["//! The backend's operations.", "//!",
           "//! Inputs have any layout. `add(&a, &b)` makes a contiguous result; `add_with(&a, &b, out, stream)` writes it to `out`,",
           "//! a contiguous tensor of its shape and dtype, and gives another handle of that. Work is put into the stream, else",
           "//! into the device's default queue, and not waited for.", "//!", *(f"//! {line}" for line in errors), "//!",
           f"//! {NOTICE}", "",
           "use crate::c::{self, Size2, Window1, Window2};",
           "use crate::error::{check, text};",
           "use crate::tensor::{address, made, made_both, raw_or_null};",
           "use crate::{DType, Device, Result, Scalar, Stream, Tensor};",
           "use std::os::raw::c_int;"]
    for one in interface.all(Struct):
        if one.defaults:
            out += ["", options(one) if one.name == OPTIONS else plain_struct(one)]
    for function in interface.operations():
        out += ["", operation(function, structs)]
    return "\n".join(out) + "\n"
