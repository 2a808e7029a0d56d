"""The structures of ctypes have the layout that a C compiler gives them."""

import ctypes
import pathlib
import shutil
import subprocess
import sys

import pytest

from kernelgen import _c

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "bindings"))

from c_header import Interface, Struct  # noqa: E402  from the folder above
from operation import camel  # noqa: E402

INCLUDES = [ROOT / "runtime/include", ROOT / "generated/include"]


@pytest.mark.skipif(shutil.which("cc") is None, reason="no C compiler")
def test_structs_lie_as_in_c(tmp_path):
    structs = Interface(INCLUDES).all(Struct)
    lines = ["#include <kernelgen/kernelgen.h>", "#include <stdio.h>", "int main(void) {"]
    wanted = []
    for struct in structs:
        ours = getattr(_c, camel(struct.name))
        lines.append(f'printf("{struct.name} %zu\\n", sizeof({struct.name}));')
        wanted.append(f"{struct.name} {ctypes.sizeof(ours)}")
        for member in struct.members:
            lines.append(f'printf("{struct.name}.{member.name} %zu\\n", offsetof({struct.name}, {member.name}));')
            wanted.append(f"{struct.name}.{member.name} {getattr(ours, member.name).offset}")
    (tmp_path / "layout.c").write_text("\n".join([*lines, "return 0; }\n"]))
    subprocess.run(["cc", "-std=c11", *(f"-I{folder}" for folder in INCLUDES), "layout.c", "-o", "layout"], cwd=tmp_path,
                   check=True)
    printed = subprocess.run([tmp_path / "layout"], capture_output=True, text=True, check=True).stdout
    assert printed.splitlines() == wanted and len(structs) > 15
