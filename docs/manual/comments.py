#!/usr/bin/env python3
"""comments.py HEADER: the header with its comments as Doxygen reads them, on standard output.

Here a comment is of the group of neighbours that it begins: up to the next comment or blank line. Doxygen wants one before each
declaration. In C a comment is any /* */, which Doxygen would ignore; the one after the guard is the file's."""

import re
import sys

FREE = re.compile(r"^\s*(#(?!define KERNELGEN_)|public:|private:|extern \"C\"|namespace |\}|\{|KERNELGEN_\w+\)|template )")


def is_banner(text):
    return text.lstrip().startswith("/* ----")


class Reader:
    def __init__(self, is_c):
        self.is_c = is_c
        self.out = []
        self.groups = [None]  # the comment of the group, by the depth of braces
        self.comment = []  # lines of the one being read, or read just now
        self.inside = False  # a statement of more than one line
        self.in_comment = False
        self.guarded = self.introduced = False

    def line(self, line):
        text = line.strip()
        if self.in_comment or text.startswith(("///", "/*")):
            self._comment(line, text)
        elif not text:
            self._blank(line)
        else:
            self._code(line, text)

    def _comment(self, line, text):
        if not self.in_comment and not (self.comment and text.startswith("///")):
            self.comment = []
        self.comment.append(self._documented(line) if self.is_c and not self.in_comment else line)
        if text.startswith("/*") or self.in_comment:
            self.in_comment = "*/" not in text

    def _documented(self, line):
        if is_banner(line):
            return line
        if self.guarded and not self.introduced:
            self.introduced = True
            return line.replace("/*", "/** @file\n *", 1)
        return line.replace("/*", "/**", 1)

    def _blank(self, line):
        self.out += self.comment
        self.comment = []
        if not self.inside:
            self.groups[-1] = None
        self.out.append(line)

    def _code(self, line, text):
        self.guarded = self.guarded or text.startswith("#define")
        if self.comment:
            self.groups[-1] = None if is_banner(self.comment[0]) else self.comment
            self.out += self.comment
        elif not self.inside and self.groups[-1] and not FREE.match(line) and "///<" not in line:
            self.out += self.groups[-1]
        self.comment = []
        if self.is_c:
            line = re.sub(r"(\S.*)/\* (?=.*\*/)", r"\1/**< ", line)
        self.out.append(line)
        code = re.sub(r"//.*|/\*.*?\*/|\"[^\"]*\"", "", line)
        for _ in range(code.count("{") - code.count("}")):
            self.groups.append(None)
        for _ in range(code.count("}") - code.count("{")):
            if len(self.groups) > 1:
                self.groups.pop()
        end = code.strip()[-1:]
        self.inside = not (end in (";", "}", "{", ",") and (end != "," or self._in_enum())) and not text.startswith("#")

    def _in_enum(self):
        return len(self.groups) > 1 and any("enum" in line for line in self.out[-60:])


def main():
    path = sys.argv[1]
    reader = Reader(path.endswith(".h"))
    with open(path, encoding="utf-8") as file:
        for line in file.read().split("\n"):
            reader.line(line)
    print("\n".join([*reader.out, *reader.comment]))


if __name__ == "__main__":
    main()
