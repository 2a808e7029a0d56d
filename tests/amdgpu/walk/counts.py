#!/usr/bin/env python3
"""What kernels execute on simulated GPUs, against a table: a change of more than 2 % fails and says which kernel.

counts.py KERNEL_GEN PACKAGE TARGET...          compares with counts.json
counts.py KERNEL_GEN PACKAGE TARGET... --write  writes the table anew for those targets
Cases that the package has no kernels for are left out of the table, and of the comparison if the table lacks them, too.
Exits with 77, for a skipped test, where the table was made with another clang or other device libraries.
"""

import argparse
import concurrent.futures
import hashlib
import json
import os
import pathlib
import random
import re
import struct
import subprocess
import sys
import tempfile
from typing import NamedTuple

TABLE = pathlib.Path(__file__).with_name("counts.json")
TOLERANCE = 0.02
SLACK = 16  # counts this near are equal: a wave more or less
SEED = 20260814
FIGURES = ["valu", "transcendental", "matrix", "salu", "scalar_memory", "lds", "vector_memory", "branch", "waves",
           "bytes_loaded", "bytes_stored", "atomics", "lines_64_loaded", "lines_64_stored", "distinct_loaded",
           "distinct_stored", "scratch_bytes", "lds_cycles", "lds_conflicts"]
DTYPES = {"f32": ("<f4", "f"), "f16": ("<f2", "e"), "bf16": ("<u2", "H"), "i64": ("<i8", "q")}


class Input(NamedTuple):
    shape: tuple[int, ...]
    below: int = 0  # of indices


class Case(NamedTuple):
    operation: str
    inputs: tuple[Input, ...]
    parameters: tuple[str, ...] = ()

    def name(self, dtype: str) -> str:
        shapes = ["x".join(map(str, given.shape)) for given in self.inputs]
        return " ".join([self.operation, dtype, *shapes, *self.parameters])


def tensor(*shape: int) -> Input:
    return Input(shape)


CASES = [
    Case("add", (tensor(300, 1000), tensor(300, 1000))),
    Case("add", (tensor(16, 9, 37, 50), tensor(16, 1, 37, 1))),
    Case("gelu", (tensor(300, 1000),)),
    Case("silu_mul", (tensor(100, 1000), tensor(100, 1000))),
    Case("softmax", (tensor(64, 1000),)),
    Case("softmax", (tensor(4, 8192),)),
    Case("layer_norm", (tensor(64, 1024), tensor(1024), tensor(1024))),
    Case("rms_norm", (tensor(64, 1024), tensor(1024))),
    Case("add_rms_norm", (tensor(64, 1024), tensor(64, 1024), tensor(1024))),
    Case("sum", (tensor(200, 1000),), ("dims=1",)),
    Case("sum", (tensor(200, 1000),), ("dims=0",)),
    Case("argmax", (tensor(200, 1000),), ("dim=1",)),
    Case("cumsum", (tensor(20, 2000),)),
    Case("sort", (tensor(20, 1000),)),
    Case("matmul", (tensor(128, 256), tensor(256, 128))),
    Case("matmul", (tensor(1, 512), tensor(512, 300))),
    Case("matmul", (tensor(2, 70, 65), tensor(2, 65, 70))),
    Case("attention", (tensor(1, 4, 64, 64), tensor(1, 4, 128, 64), tensor(1, 4, 128, 64))),
    Case("conv2d", (tensor(1, 16, 20, 20), tensor(32, 16, 3, 3)), ("padding=1,1",)),
    Case("conv2d", (tensor(4, 16, 60, 60), tensor(32, 16, 3, 3)), ("padding=1,1",)),
    Case("max_pool2d", (tensor(2, 8, 32, 32),), ("kernel=2,2", "stride=2,2")),
    Case("index_select", (tensor(500, 256), Input((200,), 500)), ("dim=0",)),
]


def compiler_of(tool: str, target: str) -> dict[str, str]:
    """The major version of the clang that compiles for a target, and the digest of the mathematical functions it links."""
    report = json.loads(subprocess.run([tool, "doctor", "--json"], check=True, capture_output=True, text=True).stdout)
    compiler = next(row["compiler"] for row in report["targets"] if row["name"] == target)
    clang = re.search(r"version (\d+)", report["compilers"][compiler]).group(1)
    ocml = pathlib.Path(report["device_bitcode"][0], "ocml.bc").read_bytes()
    return {"clang": clang, "ocml": hashlib.sha256(ocml).hexdigest()[:16]}


def write_input(path: pathlib.Path, given: Input, dtype: str) -> None:
    draw = random.Random(f"{SEED} {given} {dtype}")
    count = 1
    for extent in given.shape:
        count *= extent
    if given.below:
        values = [draw.randrange(given.below) for _ in range(count)]
    else:
        values = [draw.gauss(0, 1) for _ in range(count)]
    if dtype == "bf16":
        values = [struct.unpack("<I", struct.pack("<f", value))[0] >> 16 for value in values]
    descr, code = DTYPES[dtype]
    head = f"{{'descr': '{descr}', 'fortran_order': False, 'shape': {given.shape}, }}".encode()
    head += b" " * (63 - (10 + len(head)) % 64) + b"\n"
    path.write_bytes(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head +
                     struct.pack(f"<{count}{code}", *values))


def measure(tool: str, package: str, target: str, case: Case, dtype: str) -> dict | None:
    with tempfile.TemporaryDirectory() as folder:
        command = [tool, "run", case.operation, "--device", f"simulated:{target}", "--package", package, "--counters",
                   "--json"]
        for position, given in enumerate(case.inputs):
            path = pathlib.Path(folder, f"{position}.npy")
            own = "i64" if given.below else dtype
            write_input(path, given, own)
            command += ["--in", str(path), "--dtype", own]
        for parameter in case.parameters:
            command += ["--param", parameter]
        run = subprocess.run(command, capture_output=True, text=True)
    if run.returncode != 0:
        if "no kernel for" in run.stderr or "is not in the package" in run.stderr:
            return None
        sys.exit(f"{target}: {case.name(dtype)}: {run.stderr.strip()}")
    launches = json.loads(run.stdout)["launches"]
    return {"kernels": [launch["kernel"] for launch in launches],
            "counts": [sum(launch[name] for launch in launches) for name in FIGURES]}


def measure_all(tool: str, package: str, target: str) -> dict:
    work = [(case, dtype) for case in CASES for dtype in ("f32", "f16", "bf16")]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        results = pool.map(lambda item: measure(tool, package, target, *item), work)
        return {case.name(dtype): counts for (case, dtype), counts in zip(work, results) if counts is not None}


def differences(target: str, wanted: dict, found: dict) -> list[str]:
    lines = []
    for name, want in wanted.items():
        have = found.get(name)
        if have is None:
            lines.append(f"{target}: {name}: no longer there")
            continue
        if have["kernels"] != want["kernels"]:
            lines.append(f"{target}: {name}: launches {have['kernels']}, the table has {want['kernels']}")
        for figure, old, new in zip(FIGURES, want["counts"], have["counts"]):
            if abs(new - old) > max(SLACK, TOLERANCE * old):
                share = f" ({(new / old - 1):+.1%})" if old else ""
                lines.append(f"{target}: {name}: {', '.join(want['kernels'])}: {figure} is {new}, was {old}{share}")
    return lines + [f"{target}: {name}: not in the table" for name in found if name not in wanted]


def write_table(table: dict) -> None:
    """A line a case."""
    targets = []
    for target, cases in sorted(table["counts"].items()):
        lines = ",\n".join(f"   {json.dumps(name)}: {json.dumps(counts)}" for name, counts in cases.items())
        targets.append(f"  {json.dumps(target)}: {{\n{lines}\n  }}")
    head = f' "compiler": {json.dumps(table["compiler"])},\n "figures": {json.dumps(FIGURES)},\n "counts": {{\n'
    TABLE.write_text("{\n" + head + ",\n".join(targets) + "\n }\n}\n", encoding="utf-8")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tool")
    parser.add_argument("package")
    parser.add_argument("targets", nargs="+")
    parser.add_argument("--write", action="store_true", help="write the table anew for these targets")
    options = parser.parse_args()
    table = json.loads(TABLE.read_text(encoding="utf-8")) if TABLE.exists() else {"counts": {}}
    compiler = compiler_of(options.tool, options.targets[0])
    if not options.write and compiler != table["compiler"]:
        print(f"skipped: the table was made with {table['compiler']}, the kernels with {compiler}")
        return 77
    wrong = []
    for target in options.targets:
        found = measure_all(options.tool, options.package, target)
        if options.write:
            table["counts"][target] = found
        else:
            wrong += differences(target, table["counts"].get(target, {}), found)
    if options.write:
        table["compiler"] = compiler
        write_table(table)
    print("\n".join(wrong))
    if wrong:
        print(f"If that is meant, run: {' '.join(sys.argv)} --write")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
