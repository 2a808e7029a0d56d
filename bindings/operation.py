"""An operation as all languages see it: its parameters, name and documentation."""

import re
from dataclasses import dataclass
from typing import Optional

from c_header import Function, Parameter, Struct


@dataclass
class Part:
    """One parameter of an operation, or two of C's that belong together."""

    kind: str  # tensor, optional, out, result, stream, numbers, tensors, scalars, struct, single
    parameter: Parameter
    struct: Optional[Struct] = None  # of kind struct: its members are the parameters
    by_address: bool = False
    default: Optional[str] = None  # as C++ spells it

    @property
    def name(self):
        return self.parameter.name


PAIRS = {"size_t const int64_t*": "numbers", "const kernelgen_tensor* const* size_t": "tensors",
         "const kernelgen_scalar* size_t": "scalars"}
KINDS = {"const kernelgen_stream*": "stream", "kernelgen_tensor**": "result"}


def parts(function: Function, structs):
    """The operation's parts, in C's order. `structs` are those of the interface, by name."""
    declared = {one.name: one for one in function.signature.parameters}
    parameters, position, found = function.parameters, 0, []
    while position < len(parameters):
        each = parameters[position]
        pair = PAIRS.get(" ".join(one.type for one in parameters[position:position + 2]))
        named = re.fullmatch(r"(?:const )?(kernelgen_\w+)(\*?)", each.type)
        struct = structs.get(named[1]) if named else None
        if pair:
            found.append(Part(pair, parameters[position + 1] if pair == "numbers" else each))
            position += 1
        elif each.type == "const kernelgen_tensor*":
            is_optional = each.name in declared and declared[each.name].type == "const Tensor*"
            kind = "out" if re.match(r"out(_|$)", each.name) else "optional" if is_optional else "tensor"
            found.append(Part(kind, each))
        elif struct is not None and struct.defaults:
            found.append(Part("struct", each, struct, bool(named[2])))
        else:
            found.append(Part(KINDS.get(each.type, "single"), each))
        position += 1
    for part in found:
        if part.name in declared:
            part.default = "std::nullopt" if declared[part.name].type == "Axes" else declared[part.name].default
        elif part.parameter.type == "const double*":
            part.default = "std::nullopt"
    return found


def short(name):
    """Without the prefix kernelgen_."""
    return name[len("kernelgen_"):]


def camel(name):
    return "".join(word.capitalize() for word in short(name).split("_"))


# Of the statuses, as the languages call their errors.
ERRORS = {"INVALID_ARGUMENT": "InvalidArgument", "NOT_FOUND": "NotFound", "UNSUPPORTED": "Unsupported",
          "OUT_OF_MEMORY": "OutOfMemory", "DEVICE_ERROR": "DeviceError", "BAD_PACKAGE": "BadPackage",
          "INDEX_OUT_OF_RANGE": "IndexOutOfRange", "IO": "Io", "INTERNAL": "Internal"}


def spoken(text, method, true):
    """The text of a C comment with the names of another language: `method(owner, name)` gives that of a function of a handle, and
    `true` is what flags are called."""
    for name, error in ERRORS.items():
        text = text.replace("KERNELGEN_" + name, error)
    text = re.sub(r"\s*(Included by|Begin\s+with)\s[\w.()\s]*\.(?=\s|$)", "", text)
    text = re.sub(r"kernelgen_(device|stream|tensor|event|gguf|dtype)_(?:get_)?(\w+)",
                  lambda match: method(match[1], match[2]), text)
    text = re.sub(r"kernelgen_\w+_init\(\)", "the default", text).replace("kernelgen_", "")
    text = re.sub(r"KERNELGEN_(MAX_\w+|Q4_0)", r"\1", text).replace(" of package_format.h", "")
    for in_c, here in ((" is not 0", " is true"), ("`align_corners` not 0", "`align_corners`"), ("`*dim`", "`dim`"),
                       ("NULL", "None"), ("Not 0: ", f"{true}: ")):
        text = text.replace(in_c, here)
    return text.strip()
