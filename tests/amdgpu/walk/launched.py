#!/usr/bin/env python3
"""Prints how many kernels of a package the walk launched on simulated GPUs, and the names of the others.

launched.py KERNEL_GEN PACKAGE FOLDER: FOLDER holds the files that KERNELGEN_SIMULATED_LAUNCHES named. Exits with 1 where a
kernel is missing that --expect, a file of names, does not list.
"""

import argparse
import json
import pathlib
import subprocess
import sys


def kernels_of(tool: str, package: str) -> set[str]:
    text = subprocess.run([tool, "ls", package, "--json"], check=True, capture_output=True, text=True).stdout
    return {kernel["name"] for operation in json.loads(text) for kernel in operation["kernels"]}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tool")
    parser.add_argument("package")
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--expect", type=pathlib.Path, help="names of kernels that need not be launched")
    options = parser.parse_args()
    kernels = kernels_of(options.tool, options.package)
    launched = {name for file in options.folder.iterdir() for name in file.read_text(encoding="utf-8").split()}
    missing = sorted(kernels - launched)
    print(f"{len(kernels) - len(missing)} of {len(kernels)} kernels were launched; not launched:")
    print("\n".join(missing))
    allowed = set(options.expect.read_text(encoding="utf-8").split()) if options.expect else kernels
    return 1 if set(missing) - allowed else 0


if __name__ == "__main__":
    sys.exit(main())
