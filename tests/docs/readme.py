#!/usr/bin/env python3
"""readme.py FOLDER REGISTRY: what README.md says in numbers is so. It has at most 80 lines; its table of speed has only figures
that the file it links to has; it gives the registry's number of kernels, rounded down to hundreds."""

import json
import re
import sys
from pathlib import Path

root, registry = Path(sys.argv[1]), Path(sys.argv[2])
page = (root / "README.md").read_text(encoding="utf-8")
wrong = []

if page.count("\n") > 80:
    wrong.append(f"README.md has {page.count(chr(10))} lines; at most 80")

rows = re.findall(r"^\|.*\]\((bench/results/\w+\.md)\).*$", page, re.MULTILINE)
if not rows:
    wrong.append("README.md: no row of figures with a link to bench/results/")
for row in re.finditer(r"^\|(.*)\|[^|]*\]\((bench/results/\w+\.md)\) *\|$", page, re.MULTILINE):
    cells = [cell.strip() for cell in row[1].split("|")]
    source = (root / row[2]).read_text(encoding="utf-8")
    for figure in re.findall(r"\d+(?:\.\d+)?", cells[-1]):
        if not re.search(rf"(?<![\d.]){re.escape(figure)}(?![\d.]*\d)", source):
            wrong.append(f"README.md: {figure} of '{cells[0]}' is not in {row[2]}")

kernels = len(json.loads(registry.read_text(encoding="utf-8"))["kernels"])
stated = re.search(r"([\d,]+) kernels", page)
if not stated or int(stated[1].replace(",", "")) != kernels // 100 * 100:
    wrong.append(f"README.md gives {stated and stated[1]} kernels; the registry has {kernels}")

print("\n".join(wrong) or "README.md is right")
sys.exit(1 if wrong else 0)
