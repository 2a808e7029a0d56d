#!/usr/bin/env python3
"""Writes the operations' functions in C, Python and Rust and the rows of `kernel-gen run` from their signatures in
kernelgen/ops, C's element types from kernelgen/dtype.hpp, what the bindings declare and the element types of manifests' schema
from the C headers, and the crates' version from tools/kernel-gen/base/version.hpp:

  bindings/generate.py            writes the files that differ
  bindings/generate.py --check    changes nothing, names them and exits with 1
"""

import re
import sys
import textwrap
from pathlib import Path

sys.dont_write_bytecode = True

import c_code  # noqa: E402  after what keeps __pycache__ out of the tree
import python_code  # noqa: E402
import run_code  # noqa: E402
import rust_code  # noqa: E402
from c_header import Interface  # noqa: E402
from operation import short  # noqa: E402
from signature import Signatures  # noqa: E402

ROOT = Path(__file__).resolve().parent.parent


def with_version(manifest):
    """A Cargo.toml with the project's version as the package's: cargo reads no other file."""
    source = (ROOT / "tools/kernel-gen/base/version.hpp").read_text(encoding="utf-8")
    version = re.search(r'version\[\] = "([\d.]+)"', source)[1]
    return re.sub(r'(?m)^version = "[^"]*"$', f'version = "{version}"', manifest.read_text(encoding="utf-8"), count=1)


def with_dtypes(schema, interface):
    """The schema of manifests with the names of all element types."""
    names = ", ".join(f'"{name}"' for name in [*python_code.dtype_codes(interface), "b8", "b16", "b32", "b64"])
    lines = "\n".join(textwrap.wrap(names, 110, initial_indent=" " * 8, subsequent_indent=" " * 8))
    return re.sub(r'("dtype": \{\n *"enum": \[\n)[^\]]*?(\n *\])', rf"\g<1>{lines}\g<2>", schema.read_text(encoding="utf-8"))


def operation_files(signatures):
    """What C and `kernel-gen run` have of the operations and dtypes, by its path."""
    generated = ROOT / "generated"
    dtypes = (ROOT / "runtime/include/kernelgen/dtype.hpp").read_text(encoding="utf-8")
    return {generated / "include/kernelgen/c/dtypes.h": c_code.dtypes(dtypes),
            generated / "src/capi/operations.cpp": c_code.definitions(signatures.families),
            generated / "src/run/functions.cpp": run_code.rows(signatures),
            generated / "include/kernelgen/c/functions.h": c_code.includes(signatures.families),
            **{generated / f"include/kernelgen/c/{family.name}.h": c_code.header(family)
               for family in signatures.families if c_code.has_functions(family)}}


def binding_files(signatures):
    """What is written from the C headers, by its path."""
    interface = Interface([ROOT / "runtime/include", ROOT / "generated/include"])
    for function in interface.operations():
        function.signature = signatures.find(short(function.name))
    package, crate = ROOT / "bindings/python/kernelgen", ROOT / "bindings/rust/src"
    manifests = [ROOT / "bindings/rust/Cargo.toml", ROOT / "bindings/rust/candle/Cargo.toml"]
    schema = ROOT / "manifests/schema/module.schema.json"
    return {schema: with_dtypes(schema, interface),
            package / "_c.py": python_code.declarations(interface),
            package / "_dtypes.py": python_code.dtypes(interface),
            package / "operations.py": python_code.operations(interface),
            package / "_methods.py": python_code.methods(interface),
            crate / "c.rs": rust_code.declarations(interface),
            crate / "operations.rs": rust_code.operations(interface),
            **{manifest: with_version(manifest) for manifest in manifests}}


def update(files, check):
    """Writes the files that differ; with `check` names them. Gives their number."""
    stale = [(path, text) for path, text in files.items()
             if not path.is_file() or path.read_text(encoding="utf-8") != text]
    for path, text in stale:
        if check:
            print(f"{path.relative_to(ROOT)} is out of date; run bindings/generate.py")
        else:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
            print(f"wrote {path.relative_to(ROOT)}")
    return len(stale)


def main():
    check = sys.argv[1:] == ["--check"]
    if sys.argv[1:] and not check:
        sys.exit(__doc__)
    signatures = Signatures([ROOT / "runtime/include", ROOT / "generated/include"])
    stale = update(operation_files(signatures), check)
    stale += update(binding_files(signatures), check)
    return 1 if check and stale else 0


if __name__ == "__main__":
    sys.exit(main())
