#!/usr/bin/env python3
"""Prints how many kernels of a package the walk launched on each simulated GPU. Fails where none launched a kernel that AMD's GPUs
use, or one launched another, and names them.

launched.py KERNEL_GEN PACKAGE FOLDER: FOLDER holds the files that KERNELGEN_SIMULATED_LAUNCHES named, as GPU.PART.
"""

import argparse
import collections
import json
import pathlib
import re
import subprocess
import sys

# Kernels that launches on AMD's GPUs never choose.
UNUSED = re.compile(
    r"kg_attention_mma_\w+_w256"  # its tiles do not fit into their LDS
    r"|kg_attention_mma_\w+_rows64"  # by warpgroups of sm_90
    r"|kg_scatter_add_set_i(32|64)_lines"  # they add integers by atomics
)


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
    used = set().union(*launched.values())
    missing = sorted(name for name in kernels - used if not UNUSED.fullmatch(name))
    stale = sorted(name for name in used if UNUSED.fullmatch(name))
    if missing:
        print(f"on no GPU: {len(missing)}", *missing, sep="\n")
    if stale:
        print(f"launched, though UNUSED says never: {len(stale)}", *stale, sep="\n")
    return 1 if missing or stale else 0


if __name__ == "__main__":
    sys.exit(main())
