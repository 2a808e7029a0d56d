#!/usr/bin/env python3
"""Writes what the bindings declare, from the C headers:

  bindings/generate.py            writes the files that differ
  bindings/generate.py --check    changes nothing, names them and exits with 1
"""

import sys
from pathlib import Path

sys.dont_write_bytecode = True

import python_code  # noqa: E402  after what keeps __pycache__ out of the tree
import rust_code  # noqa: E402
from c_header import Interface  # noqa: E402

ROOT = Path(__file__).resolve().parent.parent


def files(interface):
    """The text of each file, by its path."""
    package, crate = ROOT / "bindings/python/kernelgen", ROOT / "bindings/rust/src"
    return {package / "_c.py": python_code.declarations(interface),
            package / "operations.py": python_code.operations(interface),
            crate / "c.rs": rust_code.declarations(interface),
            crate / "operations.rs": rust_code.operations(interface)}


def main():
    check = sys.argv[1:] == ["--check"]
    if sys.argv[1:] and not check:
        sys.exit(__doc__)
    interface = Interface([ROOT / "runtime/include", ROOT / "generated/include"])
    stale = [(path, text) for path, text in files(interface).items()
             if not path.is_file() or path.read_text(encoding="utf-8") != text]
    for path, text in stale:
        if check:
            print(f"{path.relative_to(ROOT)} is not what the C headers say; run bindings/generate.py")
        else:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
            print(f"wrote {path.relative_to(ROOT)}")
    return 1 if check and stale else 0


if __name__ == "__main__":
    sys.exit(main())
