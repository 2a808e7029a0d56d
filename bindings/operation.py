"""What an operation's parameters are, as all languages see them."""

import re
from dataclasses import dataclass
from typing import Optional

from c_header import Function, Parameter, Struct


@dataclass
class Part:
    """One parameter of an operation, or two of C's that belong together."""

    kind: str  # tensor, out, result, stream, numbers, tensors, scalars, struct, single
    parameter: Parameter
    struct: Optional[Struct] = None  # of kind struct: its members are the parameters
    by_address: bool = False

    @property
    def name(self):
        return self.parameter.name


PAIRS = {"size_t const int64_t*": "numbers", "const kernelgen_tensor* const* size_t": "tensors",
         "const kernelgen_scalar* size_t": "scalars"}
KINDS = {"const kernelgen_stream*": "stream", "kernelgen_tensor**": "result"}


def parts(function: Function, structs):
    """The operation's parts, in C's order. `structs` are those of the interface, by name."""
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
            found.append(Part("out" if re.match(r"out(_|$)", each.name) else "tensor", each))
        elif struct is not None and struct.plain:
            found.append(Part("struct", each, struct, bool(named[2])))
        else:
            found.append(Part(KINDS.get(each.type, "single"), each))
        position += 1
    return found
