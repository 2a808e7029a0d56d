#!/usr/bin/env python3
"""Makes a wheel of the Python package with libkernelgen.so inside: one file for every Python from 3.9 on, as ctypes needs
no compiler and no version's own interface. The same inputs give the same bytes."""

import argparse
import base64
import hashlib
import platform
import re
import sys
import zipfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
INSTALLED_LIBRARY = "kernelgen/libkernelgen.so.0"  # as kernelgen/_library.py looks for it

METADATA = """\
Metadata-Version: 2.1
Name: kernelgen
Version: {version}
Summary: GPU kernels from JSON manifests: a tensor backend's operations on AMD, NVIDIA and the CPU
License: Apache-2.0
Requires-Python: >=3.9
Classifier: License :: OSI Approved :: Apache Software License
Classifier: Operating System :: POSIX :: Linux
Classifier: Programming Language :: Python :: 3
Classifier: Typing :: Typed
Provides-Extra: numpy
Requires-Dist: numpy; extra == 'numpy'
Description-Content-Type: text/markdown

{description}"""


def stop(problem):
    print(f"build_wheel: error: {problem}", file=sys.stderr)
    sys.exit(2)


def version():
    source = (ROOT / "tools/kernel-gen/base/version.hpp").read_text(encoding="utf-8")
    return re.search(r'version\[\] = "([\d.]+)"', source)[1]


def platform_tag(library):
    """manylinux of the newest glibc that the library asks for, for which pip on older systems refuses it."""
    wanted = [int(minor) for minor in re.findall(rb"GLIBC_2\.(\d+)\b", library)]
    if library[:4] != b"\x7fELF" or not wanted:
        return None
    return f"manylinux_2_{max(*wanted, 17)}_{platform.machine()}"


def record_line(name, data):
    digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
    return f"{name},sha256={digest},{len(data)}\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--library", type=Path, default=ROOT / "build/release/libkernelgen.so", metavar="FILE",
                        help="libkernelgen.so, with the kernels it is to have (default: %(default)s)")
    parser.add_argument("--out", type=Path, default=Path("."), metavar="FOLDER", help="default: the current one")
    options = parser.parse_args()
    if not options.library.is_file():
        stop(f"no library {options.library}; `cmake --build --preset release --target kernelgen_c` makes it")
    library = options.library.read_bytes()
    tag = platform_tag(library)
    if tag is None:
        stop(f"{options.library} is not a shared library over glibc")
    if re.search(rb"\0libzstd\.so", library):
        stop(f"{options.library} needs libzstd.so, which not every machine has; with zstd's archive (libzstd.a) it is built in")

    made = version()
    info = f"kernelgen-{made}.dist-info"
    files = {f"kernelgen/{path.name}": path.read_bytes() for path in sorted((HERE / "kernelgen").iterdir())
             if path.suffix == ".py" or path.name == "py.typed"}
    files[INSTALLED_LIBRARY] = library
    page = (ROOT / "docs/python.md").read_text(encoding="utf-8")
    files[f"{info}/METADATA"] = METADATA.format(version=made, description=page).encode()
    files[f"{info}/WHEEL"] = (f"Wheel-Version: 1.0\nGenerator: kernelgen {made}\nRoot-Is-Purelib: false\n"
                              f"Tag: py3-none-{tag}\n").encode()
    files[f"{info}/LICENSE"] = (ROOT / "LICENSE").read_bytes()
    record = "".join(record_line(name, data) for name, data in files.items())
    files[f"{info}/RECORD"] = (record + f"{info}/RECORD,,\n").encode()

    options.out.mkdir(parents=True, exist_ok=True)
    wheel = options.out / f"kernelgen-{made}-py3-none-{tag}.whl"
    with zipfile.ZipFile(wheel, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            entry = zipfile.ZipInfo(name)  # of 1980, whenever it is made
            entry.external_attr = 0o644 << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, data)
    print(wheel)


if __name__ == "__main__":
    main()
