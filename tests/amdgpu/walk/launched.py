#!/usr/bin/env python3
"""Prints how many kernels of a package the walk launched on each simulated GPU. Fails where none launched a kernel, and names it.

launched.py KERNEL_GEN PACKAGE FOLDER: FOLDER holds the files that KERNELGEN_SIMULATED_LAUNCHES named, as GPU.PART.
"""

import argparse
import collections
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
    options = parser.parse_args()
    kernels = kernels_of(options.tool, options.package)
    launched = collections.defaultdict(set)
    for file in options.folder.iterdir():
        launched[file.name.split(".")[0]] |= kernels & set(file.read_text(encoding="utf-8").split())
    for gpu, names in sorted(launched.items()):
        print(f"{gpu}: {len(names)} of {len(kernels)} kernels were launched")
    missing = sorted(kernels - set().union(*launched.values()))
    if missing:
        print(f"on no GPU: {len(missing)}", *missing, sep="\n")
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main())
