"""Writes the rows of `kernel-gen run` from the operations' signatures."""

import json
import re
import textwrap

from signature import BY_HAND

NOTICE = "Written by bindings/generate.py from kernelgen/ops; do not edit."
KINDS = {"const Scalar&": "number", "double": "number", "std::int64_t": "integer", "bool": "flag", "DType": "dtype",
         "std::optional<std::int64_t>": "dim", "Axes": "dims", "Counts": "shape", "const Shape&": "shape",
         "Size2": "size", "Scale2": "scale"}
INPUTS = {"const Tensor&", "const Tensor*", "std::span<const Tensor>"}
# Where several tensors are one parameter: the first is needed.
NAMES_OF_MANY = "abcdefgh"


def default(parameter):
    """As a user writes it, or None."""
    if parameter.type == "Axes" or parameter.default == "std::nullopt":
        return "all"
    if parameter.type == "Scale2":
        return "none"
    both = re.fullmatch(r"\{(\d+), \1\}", parameter.default or "")
    return both[1] if both else parameter.default and parameter.default.removeprefix("DType::")


def parameters(signature, structs):
    for one in signature.parameters:
        window = re.fullmatch(r"const (Window\d)&", one.type)
        if window:
            yield from structs[window[1]]
        elif one.type in KINDS:
            yield one


def inputs(signature):
    """Their names, and how many of the last may be left out."""
    names, optional = [], 0
    for one in signature.parameters:
        if one.type == "std::span<const Tensor>":
            names, optional = list(NAMES_OF_MANY), len(NAMES_OF_MANY) - 1
        elif one.type in INPUTS:
            names.append(one.name)
            optional += one.type == "const Tensor*"
    return names, optional


def doc(signature, family):
    """The comments of the function and of its header, as the help of a command."""
    text = "\n\n".join(filter(None, [signature.comment, family.comment])).replace("`options.out`", "`out`").replace(": see Stream", "")
    text = re.sub(r"\bThrows?\s+(?=Error)", "Fails with ", text)
    text = re.sub(r"\bthrows\s+(?=Error)", "fails with ", text)
    text = re.sub(r"\bError\((\w+)\)", r"the error \1", text)
    return "\n\n".join("\n".join(textwrap.wrap(" ".join(paragraph.split()), 100)) for paragraph in text.split("\n\n"))


def text(value):
    return json.dumps(value, ensure_ascii=False)


def row(signature, family, structs):
    names, optional = inputs(signature)
    given = []
    for one in parameters(signature, structs):
        value = default(one)
        given.append(f"{{{text(one.name)}, {KINDS[one.type]}, {'{}' if value is None else text(value)}}}")
    outputs = [one.name for one in signature.results] or [names[0] if signature.in_place else "y"]
    lines = doc(signature, family).split("\n")
    said = "\n".join(" " * 10 + text(line + ("\n" if line is not lines[-1] else "")) for line in lines)
    return "\n".join([
        f"      function_runnable({{.name = {text(signature.name)},", f"          .doc =\n{said},",
        f"          .inputs = {{{', '.join(map(text, names))}}},", f"          .optional_inputs = {optional},",
        f"          .parameters = {{{', '.join(given)}}},",
        f"          .outputs = {{{', '.join(map(text, outputs))}}},", "          .bind = {}},",
        f"          {signature.function()}),"])


def rows(signatures):
    """The text of run/functions.cpp; operations that are called by name come from the packages."""
    written = [row(one, family, signatures.structs) for family in signatures.families if family.name != "elementwise_functions"
               for one in family.signatures if one.name not in BY_HAND
               and all(parameter.type != "std::string_view" for parameter in one.parameters)]
    return "\n".join([
        f"// {NOTICE}", "// clang-format off", '#include "run/function.hpp"', '#include "run/library.hpp"', "",
        "namespace kernelgen::tool {", "", "std::vector<Runnable> function_runnables() {",
        "  using enum ParameterKind;", "  return {", *written, "  };", "}", "", "}  // namespace kernelgen::tool", ""])
