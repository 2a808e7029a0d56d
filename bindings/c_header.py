"""Reads kernel-gen's C headers: what they declare, with its comments, in their order.

The headers are regular enough for a few patterns: one declaration a statement, a comment before it or before the group of
neighbours it begins. Whatever does not fit is an error, so that nothing is left out unseen."""

import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import List, Optional, Tuple


@dataclass
class Parameter:
    """A parameter, or a member of a struct."""

    name: str
    type: str  # "const kernelgen_tensor*", blanks as here
    count: int = 0  # of a member that is an array
    comment: str = ""


@dataclass
class Function:
    name: str  # with its prefix kernelgen_
    result: str
    parameters: List[Parameter]
    comment: str
    header: "Header"
    signature: object = None  # of an operation: its declaration in C++


@dataclass
class Struct:
    name: str
    members: List[Parameter]
    comment: str
    defaults: Optional[list] = None  # values of the members where a kernelgen_…_init function gives them


@dataclass
class Constant:
    name: str
    value: str  # an expression that C, Python and Rust read alike
    comment: str = ""


@dataclass
class Enum:
    name: str  # "" where it has none
    constants: List[Constant]
    comment: str = ""


@dataclass
class Header:
    path: str  # as it is included: "kernelgen/c/base.h"
    comment: str
    includes: List[str]
    declarations: list = field(default_factory=list)
    handles: List[str] = field(default_factory=list)  # opaque structs
    aliases: List[Tuple[str, str]] = field(default_factory=list)  # typedefs of numbers
    macros: List[Constant] = field(default_factory=list)


class Unreadable(Exception):
    pass


def words(comment):
    """The text of a comment, a paragraph a line."""
    lines = [re.sub(r"^\s*\* ?", "", line).rstrip() for line in comment[2:-2].splitlines()]
    paragraphs = "\n".join(lines).strip().split("\n\n")
    return "\n\n".join("\n".join(line.strip() for line in paragraph.splitlines()) for paragraph in paragraphs)


def blanks(text):
    return re.sub(r"\s*\*", "*", re.sub(r"\s+", " ", text)).strip()


def function_type(result, parameters):
    """Of a function that C calls: "void (*)(void*)"."""
    return f"{result} (*)({', '.join(each.type for each in parameters)})"


def function_parts(text):
    """What function_type() was given: result and types of the parameters; None of another type."""
    function = re.fullmatch(r"(.*) \(\*\)\((.*)\)", text)
    return (function[1], split_commas(function[2])) if function else None


def parameter(text):
    """`const int64_t* dims`, and what is called without a name."""
    text = blanks(text)
    function = re.fullmatch(r"(.*?) ?\(\* ?(\w+)\)\((.*)\)", text)
    if function:
        return Parameter(function[2], function_type(blanks(function[1]), map(parameter, split_commas(function[3]))))
    match = re.fullmatch(r"(.*[ *])(\w+)((?:\[\d+\])?)", text)
    if not match:
        raise Unreadable(f"no parameter: {text}")
    return Parameter(match[2], blanks(match[1].strip()), int(match[3][1:-1] or 0) if match[3] else 0)


def split_commas(text):
    """Parts between the commas that are in no bracket."""
    parts, depth, part = [], 0, ""
    for letter in text:
        depth += (letter in "({[") - (letter in ")}]")
        if letter == "," and depth == 0:
            parts.append(part)
            part = ""
        else:
            part += letter
    return [each.strip() for each in [*parts, part] if each.strip()]


PIECE = re.compile(
    r"(?P<comment>/\*.*?\*/)"
    r"|(?P<blank>\n[ \t]*\n)"
    r"|(?P<directive>^[ \t]*#[^\n]*(?:\\\n[^\n]*)*)"
    r"|(?P<linkage>extern \"C\" \{|^\})"
    r"|(?P<inline>^static inline [^{]*\{.*?^\})"
    r"|(?P<statement>[^\s/#}](?:\{[^{}]*\}|[^;{}])*;)",
    re.DOTALL | re.MULTILINE)


def members(body):
    """Of a struct; comments before or after them."""
    found, comment = [], ""
    for piece in re.finditer(r"(/\*.*?\*/)|([^;/]+);", body, re.DOTALL):
        if piece[1]:
            after = found and "\n" not in body[body.rfind(";", 0, piece.start()):piece.start()]
            if after:
                found[-1].comment, comment = words(piece[1]), ""
            else:
                comment = words(piece[1])
            continue
        first, *others = split_commas(blanks(piece[2]))
        one = parameter(first)
        for each in [one, *(Parameter(name.lstrip("* "), one.type) for name in others)]:
            each.comment = comment  # of neighbours without one, their neighbour's
            found.append(each)
    return found


def constants(body):
    found, value, comment = [], -1, ""
    for piece in re.finditer(r"(/\*.*?\*/)|(\w+)(?:\s*=\s*([^,/}]+))?", body, re.DOTALL):
        if piece[1]:
            if found and "\n" not in body[found_end:piece.start()]:
                found[-1].comment = words(piece[1])
            continue
        value = int(piece[3], 0) if piece[3] else value + 1
        found.append(Constant(piece[2], str(value)))
        found_end = piece.end()
    return found


def braces(text):
    """{{1, 1}, 0} as lists of numbers; `sizeof options` and the like are 0."""
    text = text.strip()
    if text.startswith("{"):
        return [braces(part) for part in split_commas(text[1:-1])]
    return 0 if not re.fullmatch(r"-?[\d.]+", text) else float(text) if "." in text else int(text)


def read(path, name):
    """The header of that name, read from a file."""
    text = Path(path).read_text(encoding="utf-8")
    header = Header(name, "", [])
    comment, last_comment, structs, position = "", "", {}, 0
    introduced = guarded = False
    for piece in PIECE.finditer(text):
        between = text[position:piece.start()]
        if between.strip():
            raise Unreadable(f"{name}: {between.strip()!r} is in no form that is read")
        position = piece.end()
        kind = piece.lastgroup
        if kind == "directive":
            include = re.match(r'#include [<"](kernelgen/[^>"]+)', piece[0])
            if include:
                header.includes.append(include[1])
            guarded = guarded or piece[0].startswith("#define")
            macro = re.match(r"#define (KERNELGEN_\w+) +(\S.*)", piece[0])
            if macro:
                header.macros.append(Constant(macro[1], macro[2].strip()))
        elif kind == "comment":
            found = words(piece[0])
            if guarded and not introduced:  # the first after the guard is the header's own
                header.comment, introduced = found, True
            elif not found.startswith("----"):
                comment = found
            last_comment = ""
        elif kind == "blank":
            comment, last_comment = "", ""
        elif kind == "inline":
            plain = re.search(r"\b(kernelgen_\w+) \w+ = (\{.*\});", piece[0])
            if plain and f"{plain[1]}_init(" in piece[0]:
                structs[plain[1]].defaults = braces(plain[2])
            comment = ""
        elif kind == "statement":
            said = comment or last_comment
            comment, last_comment = "", said
            one = declaration(piece[0].rstrip(";"), said, header)
            if isinstance(one, Struct):
                structs[one.name] = one
    if text[position:].strip():
        raise Unreadable(f"{name}: {text[position:].strip()[:80]!r} is in no form that is read")
    return header


def declaration(text, comment, header):
    opaque = re.fullmatch(r"typedef struct (\w+) \1|struct (\w+)", text)
    alias = re.fullmatch(r"typedef (u?int\d+_t) (\w+)", text)
    struct = re.fullmatch(r"typedef struct (\w+) \{(.*)\} \1", text, re.DOTALL)
    enum = re.fullmatch(r"(?:typedef )?enum ?(\w*) \{(.*)\} ?(\w*)", text, re.DOTALL)
    function = re.fullmatch(r"([\w *]+?)\b(kernelgen_\w+)\((.*)\)", text, re.DOTALL)
    if opaque:
        header.handles.append(opaque[1] or opaque[2])
        return None
    if alias:
        header.aliases.append((alias[2], alias[1]))
        return None
    if struct:
        one = Struct(struct[1], members(struct[2]), comment)
    elif enum:
        one = Enum(enum[1], constants(enum[2]), comment)
    elif function:
        parameters = [] if function[3].strip() == "void" else [parameter(p) for p in split_commas(function[3])]
        one = Function(function[2], blanks(function[1]), parameters, comment, header)
    else:
        raise Unreadable(f"{header.path}: {text!r} is in no form that is read")
    header.declarations.append(one)
    return one


class Interface:
    """All that kernelgen.h declares. `folders` are those that hold kernelgen/."""

    def __init__(self, folders, name="kernelgen/kernelgen.h"):
        self._folders = [Path(folder) for folder in folders]
        self.headers = []
        self._read(name)
        operations = next(header for header in self.headers if header.path.endswith("/operations.h"))
        self._operation_headers = set(operations.includes)
        for header in reversed(self.headers):  # those that include others first
            if header.path in self._operation_headers:
                self._operation_headers.update(header.includes)

    def _read(self, name):
        if any(header.path == name for header in self.headers):
            return
        file = next((folder / name for folder in self._folders if (folder / name).is_file()), None)
        if file is None:
            raise Unreadable(f"{name} is in none of {', '.join(map(str, self._folders))}")
        header = read(file, name)
        for include in header.includes:
            self._read(include)
        self.headers.append(header)

    def all(self, kind):
        return [one for header in self.headers for one in header.declarations if isinstance(one, kind)]

    def operations(self):
        """The functions that operations.h brings."""
        return [one for one in self.all(Function)
                if one.header.path in self._operation_headers and one.header.path != "kernelgen/c/base.h"]
