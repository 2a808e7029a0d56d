"""Writes the operations' part of the C interface from their signatures: a header a family, and the definitions."""

import re

from c_header import Unreadable
from layout import block_comment, declared, wrapped
from signature import BY_HAND

NOTICE = "Written by bindings/generate.py from kernelgen/ops; do not edit."
# What a parameter of C++ is in C, and what call.hpp makes the value of. {count} is the number of elements of {n}.
PARAMETERS = {
    "const Tensor&": (["const kernelgen_tensor* {n}"], 'Named{{{n}, "{n}"}}'),
    "const Tensor*": (["const kernelgen_tensor* {n}"], "OptionalTensor{{{n}}}"),
    "std::span<const Tensor>": (["const kernelgen_tensor* const* {n}", "size_t {count}"], 'Tensors{{{n}, {count}, "{n}"}}'),
    "std::span<const Scalar>": (["const kernelgen_scalar* {n}", "size_t {count}"], 'Scalars{{{n}, {count}, "{n}"}}'),
    "const Device&": (["const kernelgen_device* {n}"], 'NamedDevice{{{n}, "{n}"}}'),
    "std::string_view": (["const char* {n}"], 'NamedText{{{n}, "{n}"}}'),
    "DType": (["kernelgen_dtype {n}"], 'NamedDType{{{n}, "{n}"}}'),
    "const Scalar&": (["kernelgen_scalar {n}"], "{n}"),
    "std::int64_t": (["int64_t {n}"], "{n}"),
    "std::optional<std::int64_t>": (["const int64_t* {n}"], "OptionalNumber{{{n}}}"),
    "double": (["double {n}"], "{n}"),
    "bool": (["int {n}"], "{n} != 0"),
    "Axes": (["size_t {count}", "const int64_t* {n}"], 'Numbers{{{count}, {n}, "{n}"}}'),
    "Counts": (["size_t {count}", "const int64_t* {n}"], 'Numbers{{{count}, {n}, "{n}"}}'),
    "const Shape&": (["size_t rank", "const int64_t* {n}"], 'Numbers{{rank, {n}, "{n}"}}'),
    "Size2": (["kernelgen_size2 {n}"], "{n}"),
    "Scale2": (["const double* {n}_height", "const double* {n}_width"], "ScaleOfSides{{{n}_height, {n}_width}}"),
    "const Window1&": (["kernelgen_window1 {n}"], "{n}"),
    "const Window2&": (["kernelgen_window2 {n}"], "{n}"),
}
STATUS = {"device": "DEVICE_ERROR"}


def converted(parameter):
    """The parameters of C for one of C++, and the argument that stands for its value."""
    if parameter.type not in PARAMETERS:
        raise Unreadable(f"{parameter.type} {parameter.name}: no type that C has; see PARAMETERS in bindings/c_code.py")
    names = {"n": parameter.name, "count": parameter.name.removesuffix("s") + "_count"}
    declared, value = PARAMETERS[parameter.type]
    return [one.format(**names) for one in declared], value.format(**names)


def result_names(signature):
    """Of two results; they differ from the parameters' names."""
    taken = {one.name for one in signature.parameters}
    return [one.name + "_result" if one.name in taken else one.name for one in signature.results]


def head(signature, end):
    given = [one for parameter in signature.parameters for one in converted(parameter)[0]]
    outs = [f"out_{one.name}" for one in signature.results] or ["out"]
    results = result_names(signature) or ["result"]
    if signature.in_place:
        outs, results = [], []
    return declared(f"kernelgen_status kernelgen_{signature.name}(",
                    [*given, *(f"const kernelgen_tensor* {one}" for one in outs), "const kernelgen_stream* stream",
                     *(f"kernelgen_tensor** {one}" for one in results)], end)


def in_c(text):
    """What a comment of C++ says, in the names of C."""
    def status(match):
        return "KERNELGEN_" + STATUS.get(match[1], match[1].upper())

    text = text.replace("`options.out`", "`out`").replace(": see Stream", "")
    text = re.sub(r"\bThrows?\s+(?=Error)", "Errors: ", text)
    text = re.sub(r"\bthrows\s+(?=Error)", "reports ", text)
    return re.sub(r"\bError\((\w+)\)", status, text)


def description(signature):
    """What the comment of a function says."""
    extra = [f"`{one.name}`: {one.comment}" for one in signature.parameters
             if one.name in signature.option_names and one.comment]
    if signature.results:
        results = [f"`{name}`" + (f", {one.comment}" if one.comment else "")
                   for name, one in zip(result_names(signature), signature.results)]
        extra.append(f"Results: {'; '.join(results)}.")
    return in_c(" ".join([signature.comment, *extra]))


def has_functions(family):
    return any(one.name not in BY_HAND for one in family.signatures)


def header(family):
    """The text of kernelgen/c/FAMILY.h."""
    guard = f"KERNELGEN_C_{family.name.upper()}_H"
    written = [one for one in family.signatures if one.name not in BY_HAND]
    windows = any(one.type in ("Size2", "const Window1&", "const Window2&") for each in written for one in each.parameters)
    includes = ["base.h", *(f"{one}.h" for one in family.includes), *(["window.h"] if windows else [])]
    functions = "\n".join(("" if one.shares else block_comment(description(one)) + "\n") + head(one, ");") for one in written)
    comment = f"{in_c(family.comment)} Included by operations.h.".strip()
    return "\n".join([
        f"/* {NOTICE} */", f"#ifndef {guard}", f"#define {guard}", block_comment(comment),
        *(f'#include "kernelgen/c/{one}"' for one in includes), "",
        "#ifdef __cplusplus", 'extern "C" {', "#endif", "", functions, "",
        "#ifdef __cplusplus", "}", "#endif", "", "#endif", ""])


def includes(families):
    """The text of kernelgen/c/functions.h, which brings the headers of all families."""
    return "\n".join([
        f"/* {NOTICE} */", "#ifndef KERNELGEN_C_FUNCTIONS_H", "#define KERNELGEN_C_FUNCTIONS_H",
        "/* The functions of all operations. Included by operations.h. */",
        *(f'#include "kernelgen/c/{family.name}.h"' for family in families if has_functions(family)), "", "#endif", ""])


def dtypes(source):
    """The text of kernelgen/c/dtypes.h; `source` is that of kernelgen/dtype.hpp."""
    enum = re.search(r"enum class DType [^{]*\{(.*?)\n\};", source, re.DOTALL)[1]
    rows = re.findall(r"(\w+) = (\d+),[ \t]*(?:///< (.*))?", enum)
    constants = [(f"  KERNELGEN_{name.upper()} = {number},", comment) for name, number, comment in rows]
    width = max(len(text) for text, _ in constants) + 1
    return "\n".join([
        f"/* {NOTICE.replace('kernelgen/ops', 'kernelgen/dtype.hpp')} */",
        "#ifndef KERNELGEN_C_DTYPES_H", "#define KERNELGEN_C_DTYPES_H", "/* Element types of tensors. Included by base.h. */", "",
        "/* Values of kernelgen_dtype. Types with blocks are quantized: elements along a tensor's last dim are stored in ggml's",
        " * formats, as codes of a few bits and the scales of their block. */",
        "enum {", *(f"{text:<{width}}/* {comment} */" if comment else text for text, comment in constants),
        f"  KERNELGEN_DTYPE_COUNT = {len(rows)}", "};", "", "#endif", ""])


def definition(signature):
    values = [converted(parameter)[1] for parameter in signature.parameters]
    function = signature.function()
    if signature.in_place:
        call = ["call_in_place(__func__", function, "stream"]
    elif signature.results:
        optional = [False, signature.optional_result]
        made = [f'OneOfResults{{out_{one.name}, {name}, "{name}"' + (", true}" if may else "}")
                for one, name, may in zip(signature.results, result_names(signature), optional)]
        call = ["call_pair(__func__", function, *made, "stream"]
    else:
        call = ["call_function(__func__", function, "out", "stream", "result"]
    return f"{head(signature, ') {')}\n{wrapped('  return ', [*call, *values], ');', 6)}\n}}\n"


def definitions(families):
    """The text of capi/operations.cpp."""
    return "\n".join([
        f"// {NOTICE}", "// clang-format off", '#include "capi/call.hpp"', "", "using namespace kernelgen;",
        "using namespace kernelgen::capi;", "",
        *(definition(one) for family in families for one in family.signatures if one.name not in BY_HAND)])
