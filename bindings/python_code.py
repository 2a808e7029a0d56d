"""Writes the generated modules of the Python package from the C interface: _c.py, which declares it for ctypes, and
operations.py, a function per operation, and _methods.py, methods of Tensor."""

import re

from c_header import Enum, Function, Struct, function_parts
from layout import wrapped
from operation import camel, parts, short, spoken

NOTICE = "Written by bindings/generate.py from the C headers; do not edit."
NUMBERS = {
    "int": "c_int", "double": "c_double", "char": "c_char", "size_t": "c_size_t", "int64_t": "c_int64",
    "int32_t": "c_int32", "uint64_t": "c_uint64", "uint32_t": "c_uint32", "uint16_t": "c_uint16", "uint8_t": "c_uint8",
}
# The array API's names, or NumPy's, of operations that C calls otherwise.
RENAMED = {"arg_sort": "argsort", "powf": "pow", "sqr": "square", "where_cond": "where"}
# The array API's names of operations whose other name is as common.
ALIASES = {"subtract": "sub", "multiply": "mul", "divide": "div", "equal": "eq", "not_equal": "ne", "less": "lt",
           "less_equal": "le", "greater": "gt", "greater_equal": "ge", "negative": "neg", "reciprocal": "recip",
           "cumulative_sum": "cumsum", "astype": "to_dtype", "clip": "clamp"}
# Members of options where C's 0 or -1 stands for what is left out: None in Python.
OPTIONAL = {"scale", "soft_cap", "window_left", "window_right"}
# Tensors that a call writes in addition to its results.
WRITTEN = {"destination", "state"}
# A result that options ask for: its type and shape, by the other arguments.
OPTIONAL_RESULTS = {"log_sum_exp": 'empty(q.shape[:3], "f32", q.device, stream)'}
# Most are such, and a call of an operation takes one function of Python less then.
USUAL_DIM = 'DIMS[dim] if type(dim) is int and -9 < dim < 9 else wide(dim, "dim")'


class CTypes:
    """How a type of C is called in ctypes."""

    def __init__(self, interface):
        self.structs = {one.name for one in interface.all(Struct)}
        self.numbers = dict(NUMBERS)
        self.numbers.update((one.name, "c_int") for one in interface.all(Enum) if one.name)
        for header in interface.headers:
            self.numbers.update((alias, NUMBERS[real]) for alias, real in header.aliases)
        self.handles = {handle for header in interface.headers for handle in header.handles}

    def __call__(self, text):
        if text == "void (*)(void*)":
            return "Release"
        if function := function_parts(text):
            return f"CFUNCTYPE({', '.join(map(self, [function[0], *function[1]]))})"
        if text == "void":
            return "None"
        text = text.replace("const ", "").replace("* const*", "**").replace("struct ", "")
        base, stars = text.rstrip("*").strip(), text.count("*")
        if base == "char" and stars:
            return "POINTER(" * (stars - 1) + "c_char_p" + ")" * (stars - 1)
        if base == "void" or base in self.handles:
            return "POINTER(" * (stars - 1) + "c_void_p" + ")" * (stars - 1)
        name = camel(base) if base in self.structs else self.numbers[base]
        return "POINTER(" * stars + name + ")" * stars


def declarations(interface):
    """The text of _c.py."""
    ctype = CTypes(interface)
    used = sorted(set(NUMBERS.values()) | {"c_char_p", "c_void_p"})
    out = [f'"""kernelgen/kernelgen.h for ctypes. {NOTICE}"""', "",
           wrapped("from ctypes import (", ["CFUNCTYPE", "POINTER", "Structure", *used], ")"), "",
           "Release = CFUNCTYPE(None, c_void_p)", ""]
    for header in interface.headers:
        for macro in header.macros:
            value = re.fullmatch(r'(".*")|(0x[0-9a-fA-F]+|\d+)u?', macro.value)
            if value:
                out.append(f"{macro.name[len('KERNELGEN_'):]} = {value[1] or value[2]}")
    for enum in interface.all(Enum):
        out += ["", *(f"{one.name[len('KERNELGEN_'):]} = {one.value}" for one in enum.constants)]
    for struct in interface.all(Struct):
        out += ["", "", f"class {camel(struct.name)}(Structure):", "    _fields_ = ["]
        for member in struct.members:
            kind = ctype(member.type) + (f" * {member.count}" if member.count else "")
            out.append(f'        ("{member.name}", {kind}),')
        out.append("    ]")
    out += ["", "", "# Of each function its result and its parameters.", "FUNCTIONS = {"]
    for function in interface.all(Function):
        kinds = [ctype(each.type) for each in function.parameters]
        kinds = [*kinds[:-1], kinds[-1] + ("," if len(kinds) == 1 else "")] if kinds else []
        out.append(wrapped(f'    "{function.name}": ({ctype(function.result)}, (', kinds, ")),", 8))
    out += ["}", ""]
    return "\n".join(out)


def dtype_codes(interface):
    """The number of each dtype by its name."""
    codes = next(enum for enum in interface.all(Enum) if enum.constants[0].name == "KERNELGEN_U8").constants[:-1]
    return {re.sub("_k$", "_K", one.name[len("KERNELGEN_"):].lower()): one.value for one in codes}


def dtypes(interface):
    """The text of _dtypes.py."""
    codes = dtype_codes(interface)
    return "\n".join([
        f'"""Element types. {NOTICE}"""', "", "from ._element import Element", "",
        wrapped("__all__ = [", ['"DType"', *(f'"{name}"' for name in codes)], "]"), "", "",
        "class DType(Element):",
        '    """Element type of a tensor: kernelgen.f32 and the others of the C header. DType.of takes the names of other libraries."""',
        "", *(f"    {name} = {value}" for name, value in codes.items()), "", "",
        *(f"{name} = DType.{name}" for name in codes), ""])


def pythonic(text):
    """The text of a comment with Python's names."""
    def method(owner, name):
        return f"{'DType' if owner == 'dtype' else owner.capitalize()}.{name[4:] if name.startswith('set_') else name}"

    said = spoken(text, method, "True")
    return re.sub(rf"\b({'|'.join(RENAMED)})\b", lambda match: RENAMED[match[0]], said)


def python_default(part):
    """A default value of C++ in Python."""
    known = {"true": "True", "false": "False", "{}": "()", "nullptr": "None", "std::nullopt": "None"}
    return known.get(part.default, re.sub(r"^DType::(\w+)$", r'"\1"', part.default))


def plain_value(value):
    return "(" + ", ".join(map(str, value)) + ")" if isinstance(value, list) else str(value)


class Operation:
    """How one function of C becomes one of Python."""

    def __init__(self, function, interface):
        self.function = function
        self.name = RENAMED.get(short(function.name), short(function.name))
        self.structs = {one.name: one for one in interface.all(Struct)}
        self.signature, self.before, self.arguments = [], [], []
        self.tensors, self.written, self.outs, self.options = [], [], [], []
        self.results, self.optional_result = [], None
        self._read()

    def _take(self, part, kind):
        self.signature.append(f"{part.name}: {kind}" + (f" = {python_default(part)}" if part.default else ""))

    def _read(self):
        for part in parts(self.function, self.structs):
            if part.kind == "numbers":
                self._counted(part)
            elif part.kind in ("tensors", "scalars"):
                kind, function = {"tensors": ("Sequence[ArrayLike]", "operand_list"),
                                  "scalars": ("Sequence[Number]", "scalar_list")}[part.kind]
                self._take(part, kind)
                self.before.append(f"{part.name} = {function}({part.name})")
                self.arguments += [part.name, f"len({part.name})"]
            elif part.kind == "tensor":
                self._tensor(part)
            elif part.kind == "optional":
                self._take(part, "Optional[ArrayLike]")
                self.tensors.append(part.name)
                self.arguments.append(part.name)
            elif part.kind == "out":
                self.outs.append(part.name)
            elif part.kind == "result":
                self.results.append(part.name)
            elif part.kind == "struct":
                self._struct(part.name, part.struct, part.by_address)
            elif part.kind == "single":
                self._single(part)

    def _tensor(self, each):
        self._take(each, "ArrayLike")
        self.tensors.append(each.name)
        self.arguments.append(each.name)
        if each.name in WRITTEN:
            self.written.append(each.name)

    def _counted(self, part):
        if part.name == "dims":
            self._take(part, "Dims")
            whole = self.tensors[0] if self.tensors else "widest(inputs)"
            self.arguments.append(f"*dims_of({whole}, dims)")
        else:
            self._take(part, "Sequence[int]")
            self.arguments.append(f"*numbers_of({part.name}, \"{part.name}\")")

    def _single(self, part):
        kinds = {
            "int": ("bool", "bool({0})"), "int64_t": ("int", USUAL_DIM if part.name == "dim" else 'wide({0}, "{0}")'),
            "double": ("float", 'real({0}, "{0}")'), "kernelgen_scalar": ("Number", 'scalar({0}, "{0}")'),
            "kernelgen_dtype": ("DTypeLike", "DTYPES[{0}] if type({0}) is str else dtype_of({0})"), "kernelgen_size2": ("Pair", 'size2({0}, "{0}")'),
            "const int64_t*": ("Optional[int]", 'optional_integer({0}, "{0}")'),
            "const double*": ("Optional[float]", 'optional_real({0}, "{0}")'),
            "const kernelgen_device*": ("DeviceLike", "Device.of({0})"), "const char*": ("str", 'text({0}, "{0}")'),
        }
        kind, converted = kinds[part.parameter.type]
        self._take(part, kind)
        self.arguments.append(converted.format(part.name))

    def _struct(self, name, struct, by_address):
        """Its members are parameters, with the default values."""
        given = []
        for member, value in zip(struct.members, struct.defaults):
            if member.type == "size_t" and member.name == "size":
                given.append(f"size=sizeof(_c.{camel(struct.name)})")
                continue
            if member.name in OPTIONAL_RESULTS:
                self.optional_result = member.name
                given.append(f"{member.name}=handle({member.name})")
                continue
            if member.type == "const kernelgen_tensor*":
                self.options.append(f"{member.name}: Optional[ArrayLike] = None")
                self.tensors.append(member.name)
                given.append(f"{member.name}=handle({member.name})")
                continue
            kind, converted = {"int": ("bool", "bool({0})"), "int64_t": ("int", 'integer({0}, "{0}")'),
                               "double": ("float", 'real({0}, "{0}")'),
                               "kernelgen_size2": ("Pair", 'size2({0}, "{0}")')}[member.type]
            default = str(bool(value)) if kind == "bool" else plain_value(value)
            converted = converted.format(member.name)
            if member.name in OPTIONAL:
                kind, converted, default = f"Optional[{kind}]", f"{default} if {member.name} is None else {converted}", "None"
            self.options.append(f"{member.name}: {kind} = {default}")
            given.append(f"{member.name}={converted}")
        self.before.append(wrapped(f"{name} = _c.{camel(struct.name)}(", given, ")", 8))
        self.arguments.append(f"byref({name})" if by_address else name)
        self.explained = struct

    def docstring(self):
        said = [pythonic(self.function.comment).replace("`options` may be None. ", "")]
        if self.options:
            said.append("\n".join(filter(None, map(self.option, self.explained.members))))
        said.append(pythonic(self.function.header.comment))
        return "\n\n".join(filter(None, said))

    def option(self, member):
        """The documentation of a member of the options."""
        text = pythonic(" ".join(member.comment.split()))
        if member.name in OPTIONAL:
            text = re.sub(r"; (0|-1):", "; None:", text)
        if member.name == self.optional_result:
            return text.replace("Written where it is not None: ", f"return_{member.name}: True: returned as a second tensor, ")
        return f"{member.name}: {text}" if text and member.name != "size" else ""

    def quick_call(self):
        """The most frequent call, which runs no other Python function."""
        rest = ["out", "None", "None"] if self.results else ["None"]
        usual = ["type(out) is Tensor", "stream is None", "not entered"] if self.results else ["stream is None", "not entered"]
        call = wrapped(f"if status := unchecked.{self.function.name}(", [*self.arguments, *rest], "):", 12)
        return [f"if {' and '.join(usual)}:", *("    " + line for line in call.split("\n")),
                "        raise failure(status)", "    return out" if self.results else "    return"]

    def parameters(self):
        outs = [f"{name}: Optional[ArrayLike] = None" for name in self.outs]
        return [*self.signature, *self.options, "*", *outs, "stream: Optional[Stream] = None"]

    @property
    def result(self):
        return {0: "None", 1: "Tensor", 2: "Tuple[Tensor, Tensor]"}[len(self.results)]

    def head(self):
        """Of the function; with its overloads, where it has a result that options ask for."""
        pair, asked = "Tuple[Tensor, Tensor]", f"return_{self.optional_result}: "
        cases = [("Literal[False] = False", "Tensor"), ("Literal[True]", pair), ("bool = False", f"Union[Tensor, {pair}]")]
        if not self.optional_result:
            return wrapped(f"def {self.name}(", self.parameters(), f") -> {self.result}:")
        heads = [wrapped(f"def {self.name}(", [*self.parameters(), asked + kind], f") -> {result}:") for kind, result in cases]
        return "\n".join([*(f"@overload\n{head} ...\n\n" for head in heads[:-1]), heads[-1]])

    def code(self):
        body = []
        if self.tensors:
            given = [f"{name}={name}" for name in self.tensors]
            if self.written:
                given.insert(0, "written={" + ", ".join(f'"{name}"' for name in self.written) + "}")
            names = ", ".join(self.tensors) + ("," if len(self.tensors) == 1 else "")
            made = f"{names} = operands("
            if not self.options:
                types = " is ".join([*(f"type({name})" for name in self.tensors), "Tensor"])
                body.append(f"if not ({types}):" if len(self.tensors) > 1 else f"if {types.replace(' is ', ' is not ')}:")
                made = "    " + made
            body.append(wrapped(made, given, ")", 8))
        asked = self.optional_result
        if asked:
            body.append(f"{asked} = {OPTIONAL_RESULTS[asked]} if return_{asked} else None")
        body += self.before
        arguments = [*self.arguments[:-1], self.arguments[-1] + ("," if len(self.arguments) == 1 else "") + ")"]
        arguments[0] = "(" + arguments[0]
        if self.results:
            several = len(self.outs) > 1
            outs = f"({', '.join(self.outs)})" if several else self.outs[0]
            if not (several or self.before):
                body += self.quick_call()
            call = [f"lib.{self.function.name}", *arguments, outs, "stream"]
            body.append(wrapped(f"{'made =' if asked else 'return'} result{'s' * several}(", call, ")", 8))
            if asked:
                body.append(f"return made if {asked} is None else (made, {asked})")
        else:
            body += self.quick_call()
            body.append(wrapped("run(", [f"lib.{self.function.name}", *arguments, "stream"], ")", 8))
        doc = self.docstring().replace("\\", "\\\\").split("\n")
        return "\n".join([
            self.head(),
            *(("    " + line).rstrip() for line in [f'"""{doc[0]}', *doc[1:], '"""']),
            *("    " + line for line in body)])


    def method(self):
        """Of Tensor, for its first parameter."""
        names = [each.partition(":")[0] for each in self.parameters()]
        star = names.index("*")
        passed = ["self", *names[1:star], *(f"{name}={name}" for name in names[star + 1:])]
        return "\n".join([
            wrapped(f"    def {self.name}(", ["self", *self.parameters()[1:]], f") -> {self.result}:"),
            f'        """kernelgen.{self.name} of this tensor."""', "        from . import operations", "",
            wrapped(f"        return operations.{self.name}(", passed, ")")])


TYPES = ["ArrayLike", "DType", "DTypeLike", "Device", "DeviceLike", "Dims", "Number", "Pair", "Stream", "Tensor"]


def methods(interface):
    """The text of _methods.py: the operations whose first parameter is x or a, but for the conversions that Tensor has."""
    made = [Operation(function, interface) for function in interface.operations()]
    chosen = [one for one in made if one.tensors and one.signature[0] in ("x: ArrayLike", "a: ArrayLike")
              and one.name != "to_dtype"]
    return "\n".join([
        f'"""Operations as methods of Tensor. {NOTICE}"""', "", "from __future__ import annotations", "",
        "from typing import TYPE_CHECKING, Optional, Sequence, Tuple", "", "if TYPE_CHECKING:",
        wrapped("    from ._operands import (", [name for name in TYPES if name not in ("DType", "Device", "DeviceLike")], ")"),
        "", "", "class Methods:", '    """A mixin: x.sum(1) is kernelgen.sum(x, 1)."""',
        *(f"\n{one.method()}" for one in chosen)]) + "\n"


def operations(interface):
    """The text of operations.py."""
    common = next(header for header in interface.headers if header.path.endswith("/operations.h"))
    made = [Operation(function, interface) for function in interface.operations()]
    helpers = ["DIMS", "DTYPES", "dims_of", "dtype_of", "empty", "entered", "handle", "integer", "numbers_of", "operand_list", "operands", "optional_integer",
               "optional_real", "real", "result", "results", "run", "scalar", "scalar_list", "size2", "text", "wide", "widest"]
    out = [
        '"""The backend\'s operations.', "",
        "Inputs are tensors of any layout, or arrays of other libraries, whose memory is shared (see kernelgen.from_dlpack).",
        "A number stands for a tensor of one element, of the last array's dtype. The result is a new contiguous tensor;",
        "with `out`, a contiguous tensor or array of the result's shape and dtype, it is written there, and `out` is returned.",
        "Of several results, `out_…=False` leaves one out, where the operation allows it: the tuple has None in its place.",
        "`dims=None` means all dims. Work is enqueued in `stream`; if that is None, in the current stream (`with stream:`),",
        "else in the device's default queue. Calls do not wait for it.", "",
        pythonic(common.comment).split("\n\n")[-1], "", NOTICE, '"""', "",
        "from __future__ import annotations", "",
        "from ctypes import byref, sizeof", "from typing import Literal, Optional, Sequence, Tuple, Union, overload", "",
        "from . import _c", "from ._library import failure, lib, unchecked",
        wrapped("from ._operands import (", [*TYPES, *helpers], ")"), "",
        wrapped("__all__ = [", [f'"{name}"' for name in [*(one.name for one in made), *ALIASES]], "]"), "",
        "# The most frequent calls, of tensors, with `out` and without streams, call C by `unchecked`, which runs less Python code",
        "# than `lib` and result().",
    ]
    for one in made:
        out += ["", "", one.code()]
    out += ["", "", "# The array API's names.", *(f"{alias} = {name}" for alias, name in ALIASES.items())]
    return "\n".join(out) + "\n"
