#!/usr/bin/env python3
"""Writes the section "Size" of bench/results/ggml.md: packages, and what is left with the operations that the plug-in launches.

    kernel-gen build --target gfx9-generic,gfx10-1-generic,gfx10-3-generic,gfx11-generic,gfx908,gfx90a --out six
    ggml_size.py build/release/tools/kernel-gen/kernel-gen six

Debian's figure is the size of the code objects in libggml0-backend-hip 0.27, for ten GPUs."""

import collections
import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
RESULT, OPERATIONS = ROOT / "bench/results/ggml.md", ROOT / "bindings/ggml/operations.txt"
DEBIAN = 1_253_000_000


def main():
    tool, folder = sys.argv[1:]
    package = Path(folder, "kernelgen.kgpkg")

    def run(*words):
        return subprocess.run([tool, *map(str, words)], check=True, capture_output=True, text=True).stdout

    code = json.loads(run("inspect", package, "--json"))
    targets = list(dict.fromkeys(part["target"] for part in code))
    rows, families = [], collections.Counter()
    with tempfile.TemporaryDirectory() as temporary:
        whole, small, solid = (Path(temporary, name + ".kgpkg") for name in ("whole", "small", "solid"))
        for keep in [*([target] for target in targets), targets]:
            run("prune", package, "--keep", ",".join(keep), "--out", whole)
            run("prune", whole, "--operations", f"@{OPERATIONS}", "--out", small)
            run("prune", small, "--keep", ",".join(keep), "--solid", "--out", solid)
            rows.append((", ".join(keep), *(path.stat().st_size for path in (whole, small, solid))))
        for part in json.loads(run("inspect", small, "--json")):
            families[part["module"].split(".")[0]] += part["bytes"]
    total = sum(families.values())
    text = "\n## Size\n\nBytes of packages by `bench/ggml_size.py`: all operations, those of `bindings/ggml/operations.txt` alone, and\n"
    text += f"these compressed at once (`prune --solid`). Debian's libggml0-backend-hip has {DEBIAN:,} bytes of code objects, for ten GPUs.\n"
    text += "docs/ggml.md says which GPUs a generic target covers.\n\n"
    text += "| targets | all operations | the plug-in's | solid | of Debian's bytes a GPU |\n|---|---|---|---|---|\n"
    for names, before, after, least in rows:
        share = least / len(names.split(", ")) / (DEBIAN / 10)
        text += f"| {names} | {before:,} | {after:,} | {least:,} | {share:.1%} |\n"
    largest = ", ".join(f"{name} {size / total:.0%}" for name, size in families.most_common(12))
    text += f"\nOf {total:,} bytes of code in the last row: {largest}.\n"
    pattern = re.compile(r"\n## Size\n.*?(?=\n## |\Z)", re.S)
    kept = pattern.sub("", RESULT.read_text(encoding="utf-8"))
    RESULT.write_text(kept + text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
