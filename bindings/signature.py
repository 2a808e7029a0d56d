"""Reads the signatures of the operations: the declarations in kernelgen/ops/*.hpp, their only source.
C, `kernel-gen run`, Python and Rust get theirs from here.

The headers are regular enough for a few patterns: one declaration a statement, a comment before it or before the group
of neighbours it begins. Whatever does not fit is an error, so that nothing is left out unseen."""

import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Dict, List, Optional

from c_header import Unreadable, blanks, split_commas

# C and `kernel-gen run` have these by hand: what they take depends on options, or on a text.
BY_HAND = {"attention", "call", "call_all"}
HEADERS_BY_HAND = {"expression"}
OUTPUT_OPTIONS = {"stream", "out"}


@dataclass
class Parameter:
    name: str
    type: str  # "const Tensor&"
    default: Optional[str] = None  # as C++ spells it
    comment: str = ""


@dataclass
class Signature:
    """A function's declaration."""

    name: str
    result: str  # "Tensor", "void" or a struct of two tensors
    parameters: List[Parameter]  # without stream and outputs
    options: str  # the type of the last parameter
    comment: str
    shares: bool  # the comment of the function before it
    results: List[Parameter] = field(default_factory=list)  # of two, with their comments
    option_names: List[str] = field(default_factory=list)  # parameters that are members of the options in C++
    optional_result: bool = False  # the second result is computed if it is wanted

    @property
    def in_place(self):
        return self.result == "void"

    def function(self):
        """An expression of the function that takes all parameters in order, then the stream and the outputs."""
        if not self.option_names:
            return f"kernelgen::{self.name}"
        declared = ", ".join(f"{one.type} {one.name}" for one in self.parameters)
        plain = ", ".join(one.name for one in self.parameters if one.name not in self.option_names)
        chosen = "".join(f", .{name} = {name}" for name in self.option_names)
        return (f"+[]({declared}, const CallOptions& call) "
                f"{{ return kernelgen::{self.name}({plain}, {{.stream = call.stream, .out = call.out{chosen}}}); }}")


@dataclass
class Family:
    """A header of kernelgen/ops."""

    name: str
    comment: str
    includes: List[str]  # other families
    signatures: List[Signature]


def parameter(text):
    match = re.fullmatch(r"(.*?[ &*])(\w+)( = .*|\{.*\})?", blanks(text))
    if not match:
        raise Unreadable(f"no parameter: {text}")
    return Parameter(match[2], match[1].strip(), match[3].removeprefix(" = ") if match[3] else None)


def members(body):
    """Of a struct, each with the comment before or after it."""
    found = []
    for before, statement, after in re.findall(r"((?:^  ///.*\n)*)^  (\w[^;]*);(.*)$", body, re.MULTILINE):
        first, *others = split_commas(statement)
        one = parameter(first)
        one.comment = " ".join(re.sub(r"///<?", " ", before + after).split())
        found += [one, *(Parameter(re.search(r"\w+", other)[0], one.type) for other in others)]
    return found


def statements(text):
    """Comment, statement and whether a blank line was before them, of each declaration."""
    comment, statement, follows = [], "", False
    for line in text.splitlines():
        if statement:
            statement += "\n" + line
        elif line.startswith("///"):
            comment.append(line[3:].strip())
            continue
        elif not line.strip() or line.startswith("//"):
            comment, follows = [], False
            continue
        else:
            statement = line
        if statement.count("{") == statement.count("}") and re.search(r";(\s*///.*)?$", statement):
            yield "\n".join(comment), statement, follows
            comment, statement, follows = [], "", True


def read(path, structs):
    """The family of a header. `structs` gains those that it declares."""
    text = Path(path).read_text(encoding="utf-8")
    head, opening, body = text.partition("namespace kernelgen {\n")
    body, closing, _ = body.rpartition("}  // namespace kernelgen")
    if not opening or not closing:
        raise Unreadable(f"{path}: no namespace kernelgen")
    comment = "\n".join(line[3:].strip() for line in head.splitlines() if line.startswith("///"))
    includes = re.findall(r'#include "kernelgen/ops/(\w+)\.hpp"', head)
    signatures = []
    for said, statement, follows in statements(body):
        struct = re.fullmatch(r"struct (\w+) \{\n(.*)\};", statement, re.DOTALL)
        if struct:
            structs[struct[1]] = members(struct[2])
            continue
        if statement.startswith("using "):
            continue
        function = re.fullmatch(r"(\w+) (\w+)\((.*)\);", blanks(statement))
        if not function:
            raise Unreadable(f"{path}: {statement!r} is in no form that is read")
        shares = follows and not said and bool(signatures)
        if not said and not shares:
            raise Unreadable(f"{path}: {function[2]} has no comment")
        signatures.append(signature(function, signatures[-1].comment if shares else said, shares, structs))
    return Family(Path(path).stem, comment, includes, signatures)


def signature(function, comment, shares, structs):
    result, name = function[1], function[2]
    *given, last = map(parameter, split_commas(function[3]))
    options = re.sub(r"const |&", "", last.type)
    found = Signature(name, result, given, options, comment, shares)
    if name in BY_HAND:
        return found
    own = structs.get(options, [])
    if result not in ("Tensor", "void"):
        found.results = structs[result]
        found.optional_result = any(one.name.startswith("wants_") for one in own)
    elif options != "Stream":
        extra = [one for one in own if one.name not in OUTPUT_OPTIONS]
        found.option_names = [one.name for one in extra]
        found.parameters += extra
    return found


class Signatures:
    """All that the headers of kernelgen/ops declare."""

    def __init__(self, folders):
        self.structs: Dict[str, List[Parameter]] = {}
        shared = (Path(folders[0]) / "kernelgen/call.hpp").read_text(encoding="utf-8")
        for struct in re.finditer(r"^struct (\w+) \{\n(.*?)^\};", shared, re.DOTALL | re.MULTILINE):
            self.structs[struct[1]] = members(struct[2])
        paths = sorted((path for folder in folders for path in (Path(folder) / "kernelgen/ops").glob("*.hpp")
                        if path.stem not in HEADERS_BY_HAND), key=lambda path: path.stem)
        self.families = [read(path, self.structs) for path in paths]

    def find(self, name) -> Optional[Signature]:
        return next((one for family in self.families for one in family.signatures if one.name == name), None)
