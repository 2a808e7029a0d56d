"""Lines of generated text."""

import textwrap

WIDTH = 110


def wrapped(start, parts, end, indent=None):
    """`start` and the parts with commas between them and `end`, in lines that are not too long."""
    lines, line = [], start
    indent = len(start) if indent is None else indent
    for position, part in enumerate(parts):
        piece = part + (end if position == len(parts) - 1 else ",")
        if len(line) + len(piece) + 1 > WIDTH and line.strip():
            lines.append(line.rstrip())
            line = " " * indent
        line += piece if line == start or not line.strip() else " " + piece
    return "\n".join([*lines, line if parts else start + end])


def declared(start, parts, end):
    """wrapped() as clang-format does a declaration: all parameters in lines of their own where that saves three lines."""
    beside = wrapped(start, parts, end)
    below = f"{start}\n{wrapped(' ' * 4, parts, end)}"
    return below if beside.count("\n") - below.count("\n") >= 3 else beside


def block_comment(text):
    """/* The paragraphs of `text`, which blank lines separate. */"""
    lines = []
    for paragraph in text.split("\n\n"):
        width = WIDTH - 3 - len(" */")
        lines += ([""] if lines else []) + textwrap.wrap(" ".join(paragraph.split()), width, break_long_words=False,
                                                         break_on_hyphens=False)
    return "/* " + "\n".join([lines[0], *(f" * {line}".rstrip() for line in lines[1:])]) + " */"
