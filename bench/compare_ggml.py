#!/usr/bin/env python3
"""Writes bench/results/ggml.md: how many cases of ggml's suite, test-backend-ops, each back end supports.

    GGML_BACKEND_PATH=libggml-kernelgen.so test-backend-ops support -b KernelGen0 --output csv >KernelGen0.csv
    test-backend-ops support -b CPU --output csv >CPU.csv
    LD_LIBRARY_PATH=build/release/simulated-hip GGML_BACKEND_PATH=libggml-hip.so \
      KERNELGEN_SIMULATED_GPU=gfx1100 test-backend-ops support -b ROCm0 --output csv >ROCm0.csv
    GGML_BACKEND_PATH=libggml-vulkan.so test-backend-ops support -b Vulkan0 --output csv >Vulkan0.csv
    compare_ggml.py KernelGen0.csv CPU.csv ROCm0.csv Vulkan0.csv

The back ends' own answers (supports_op) are counted; nothing is executed. What the file says from "## On a GPU" on stays."""

import collections
import csv
import sys
from pathlib import Path

RESULT = Path(__file__).resolve().parent / "results/ggml.md"


def supported(file):
    """The back end's name, and by operation the cases and how many of them it supports."""
    table, name = collections.defaultdict(collections.Counter), None
    for row in csv.DictReader(file):
        name = row["backend_name"]
        table[row["op_name"]]["cases"] += 1
        table[row["op_name"]]["supported"] += row["supported"] == "1"
    return name, table


def main():
    backends = []
    for path in sys.argv[1:]:
        with open(path, encoding="utf-8", newline="") as file:
            backends.append(supported(file))
    operations = sorted(set().union(*(table for _, table in backends)))
    whole = [op for op in operations if all(table[op]["supported"] == table[op]["cases"] for _, table in backends)]

    def line(name, cells):
        return f"| {name} | " + " | ".join(f"{cell:,}" for cell in cells) + " |\n"

    def total(key, table):
        return sum(counts[key] for counts in table.values())

    text = "# Coverage of ggml's operations\n\n"
    text += "Cases of `test-backend-ops support` that each back end says it supports, by `bench/compare_ggml.py`.\n"
    text += "KernelGen0 is the plug-in; the others are Debian's, of ggml 0.27: ROCm0 for a gfx1100, whose sources are those of\n"
    text += "ggml's CUDA back end, and Vulkan0 on Mesa's llvmpipe. What a Vulkan device supports depends on the device.\n\n"
    text += "| operation | cases | " + " | ".join(name for name, _ in backends) + " |\n" + "|---" * (2 + len(backends)) + "|\n"
    text += line("all", [total("cases", backends[0][1])] + [total("supported", table) for _, table in backends])
    for op in operations:
        if op not in whole:
            text += line(op, [backends[0][1][op]["cases"]] + [table[op]["supported"] for _, table in backends])
    text += f"\nAll cases of these are supported by each: {', '.join(whole)}.\n"
    before = RESULT.read_text(encoding="utf-8") if RESULT.exists() else ""
    _, heading, rest = before.partition("\n## On a GPU\n")
    RESULT.write_text(text + heading + rest, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
