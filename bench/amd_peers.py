#!/usr/bin/env python3
"""Our AMD kernels and those of llama.cpp's HIP back end and rocBLAS, executed by one simulator: prints
bench/results/amd_peers.md."""

import argparse
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
from typing import NamedTuple

import numpy

ROOT = pathlib.Path(__file__).resolve().parent.parent
LIBRARIES = "usr/lib/x86_64-linux-gnu"

DESCRIPTION = """\
Prints a table a GPU: the same problem by a peer's kernels and by ours, all launches of each summed.

  bound        µs that the card needs at least (docs/simulator.md): the sum over launches of memory's, L1's, LDS's, VALU's,
               matrix pipe's or scalar pipe's time, whichever is longest
  ratio        ours to theirs; the goal is 1.0, and 1.1 for products and attention
  VALU …       executed instructions of waves, in thousands
  lines        lines of 64 bytes that instructions touch, in thousands
  conflicts    cycles that bank conflicts add to LDS accesses, in thousands

FOLDER holds Debian's packages, unpacked by dpkg-deb -x, of one suite: libggml0-backend-hip, libggml0, libggml-dev, librocblas4,
librocblas-dev, libhipblas2, libroctx64-4, libamdhip64-6, libamdhip64-dev, libc6, libstdc++6, libgcc-s1 and libgomp1."""

EXAMPLES = """\
examples:
  kernel-gen build --target cpu-x86-64-v3,gfx90a,gfx1030,gfx1100 --out package
  bench/amd_peers.py --tool build/release/tools/kernel-gen/kernel-gen --package package --peers FOLDER"""

SEED = 1


class Problem(NamedTuple):
    """What both compute. `theirs`: a driver in bench/peers and its arguments. `ours`: an operation, its inputs and parameters; an
    input is a shape, a dtype and, of indices, the number that they are below."""

    name: str
    goal: float
    theirs: tuple
    ours: tuple
    targets: tuple = ("gfx90a", "gfx1030", "gfx1100")


def vector(dtype, k=4096, rows=1024):
    """Quantized weights times one vector."""
    return Problem(f"mul_mat_vec {dtype}, {rows} x {k}", 1.0, ("ggml", "mul_mat", dtype, k, rows, 1),
                   ("quantized_matmul", (((1, k), "f32"), ((rows, k), dtype)), ()))


def product(dtype, k=1024, rows=512, columns=128):
    """Quantized weights times a matrix."""
    return Problem(f"mul_mat {dtype}, {rows} x {k} x {columns}", 1.1, ("ggml", "mul_mat", dtype, k, rows, columns),
                   ("quantized_matmul", (((columns, k), "f32"), ((rows, k), dtype)), ()))


def gemm(dtype, m, n, k):
    """A product of matrices by rocBLAS."""
    return Problem(f"gemm {dtype}, {m} x {n} x {k}", 1.1, ("rocblas", dtype, m, n, k),
                   ("matmul", (((m, k), dtype), ((k, n), dtype)), ()), ("gfx90a", "gfx1100"))


def attention(d, heads, queries, keys):
    """Attention without a mask, heads of keys as many as of queries."""
    shape = (1, heads, keys, d)
    return Problem(f"attention, d {d}, {heads} heads, {queries} queries, {keys} keys", 1.1,
                   ("ggml", "flash_attn", d, heads, queries, keys),
                   ("attention", (((1, heads, queries, d), "f16"), (shape, "f16"), (shape, "f16")), ("scale=0.125",)))


PROBLEMS = [
    Problem("rms_norm f32, 64 x 4096", 1.0, ("ggml", "rms_norm", 4096, 64),
            ("plain_rms_norm", (((64, 4096), "f32"),), ())),
    Problem("soft_max f32, 64 x 4096", 1.0, ("ggml", "soft_max", 4096, 64), ("softmax", (((64, 4096), "f32"),), ())),
    Problem("soft_max f32, 512 x 100", 1.0, ("ggml", "soft_max", 100, 512), ("softmax", (((512, 100), "f32"),), ())),
    Problem("rope f32, 64 tokens of 32 heads of 128", 1.0, ("ggml", "rope", 128, 32, 64),
            ("rope_thd", (((1, 64, 32, 128), "f32"), ((64, 64), "f32"), ((64, 64), "f32")), ())),
    Problem("get_rows q4_0, 64 of 4096", 1.0, ("ggml", "get_rows", "q4_0", 4096, 256, 64),
            ("get_rows", (((256, 4096), "q4_0"), ((64,), "i32", 256)), ())),
    vector("q4_0"), vector("q8_0"), vector("q4_K"), vector("q6_K"),
    product("q4_0"), product("q8_0"), product("q4_K"),
    gemm("f16", 512, 512, 512), gemm("bf16", 512, 512, 512), gemm("f32", 512, 512, 512), gemm("f16", 1024, 128, 256),
    attention(128, 8, 1, 1024), attention(128, 8, 128, 512), attention(64, 8, 128, 512),
]


# Why goals are missed, as far as the counts say it.
REASONS = """
## Missed goals

- Attention of 128 queries on gfx1030: `v_fma_mix_f32`, an element of f16 each; llama.cpp's `v_dot2_f32_f16` and
  `v_pk_fma_f16` take two, the latter with sums in f16.
- Attention of one query on gfx90a: a wave has 4 keys for each group of 16 lanes, so that of 787,000 VALU instructions 49,000
  multiply; the others find the part, exchange sums and combine waves.
- Quantized weights times a matrix on gfx90a: ours dequantize the weights to bf16 and split f32 x into two bf16, in four
  launches, of which the product has 32 blocks; llama.cpp rounds x to 8 bits and multiplies the blocks as they are.
- `gemm f32` on gfx90a: as many matrix instructions as rocBLAS's, by 64 blocks for 104 compute units.
- `soft_max` of 4096 on gfx90a: 4 waves a row, llama.cpp has 16; 64 rows do not fill the SIMDs."""


class Counted(NamedTuple):
    """The launches of one problem."""

    bound: float
    limit: str
    sums: dict
    kernels: list


class Failed(Exception):
    """A program that ended with an error: its last words."""


def call(command, environment=None):
    """The output of a program."""
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False,
                          env={**os.environ, **(environment or {})})
    if done.returncode != 0:
        raise Failed(done.stderr.strip())
    return done.stdout


def summed(launches):
    """What `kernel-gen` printed of launches."""
    names = ("valu", "matrix", "lds", "vector_memory", "lines_64_loaded", "lines_64_stored", "lds_conflicts")
    limits = {}
    for launch in launches:
        limits[launch["bound_by"]] = limits.get(launch["bound_by"], 0) + launch["bound_us"]
    return Counted(sum(limits.values()), max(limits, key=limits.get),
                   {name: sum(launch[name] for launch in launches) for name in names},
                   [launch["kernel"] for launch in launches])


class Peers:
    """The peers' libraries and a program for each that calls one operation."""

    def __init__(self, folder, tool, work):
        self.root, self.tool, self.work = folder, tool, work
        self.libraries = folder / LIBRARIES
        self.simulator = tool.resolve().parents[2] / "simulated-hip"
        self.build("ggml_operation", ["-l:libggml-base.so.0", "-l:libggml.so.0"])
        self.build("rocblas_gemm", ["-l:librocblas.so.4", "-l:libamdhip64.so.6"])

    def build(self, name, libraries):
        """Compiles a program of bench/peers."""
        include = self.root / "usr/include"
        call(["cc", "-std=c11", "-O1", "-w", "-D__HIP_PLATFORM_AMD__", "-I", include, "-I", include / "x86_64-linux-gnu",
              ROOT / "bench/peers" / f"{name}.c", "-o", self.work / name, "-L", self.libraries, *libraries,
              "-Wl,--unresolved-symbols=ignore-in-shared-libs"])

    def count(self, target, problem):
        """Its launches, by the dynamic loader of the peers' own suite."""
        kind, *words = problem.theirs
        program = [self.work / "rocblas_gemm"]
        if kind == "ggml":
            program = [self.work / "ggml_operation", self.libraries / "ggml/backends0/libggml-hip.so", "ROCm0"]
        path = f"{self.simulator}:{self.libraries}:/usr/{LIBRARIES[4:]}"
        tensile = next(self.libraries.glob("rocblas/*/library"))
        output = call([self.tool, "profile", "--json", "--gpu", target, self.libraries / "ld-linux-x86-64.so.2",
                       "--library-path", path, *program, *words],
                      {"ROCBLAS_TENSILE_LIBPATH": str(tensile)})
        return summed(json.loads(output))


class Ours:
    """The operations of a package."""

    def __init__(self, tool, package, work):
        self.tool, self.package, self.work = tool, package, work

    def run(self, *words):
        """`kernel-gen run` on the package."""
        return call([self.tool, "run", *words, "--package", self.package])

    def write(self, position, shape, dtype, below=0):
        """A file with an input, and how its elements are to be read."""
        draw = numpy.random.default_rng(SEED + position)
        path = self.work / f"{position}.npy"
        if below:
            numpy.save(path, draw.integers(0, below, shape, dtype=numpy.int32))
            return path, dtype
        values = draw.uniform(-1, 1, shape).astype(numpy.float32)
        if dtype in ("f32", "f16"):
            numpy.save(path, values.astype({"f32": numpy.float32, "f16": numpy.float16}[dtype]))
        elif dtype == "bf16":
            numpy.save(path, (values.view(numpy.uint32) >> 16).astype(numpy.uint16))
        else:
            plain = self.work / f"{position}.f32.npy"
            numpy.save(plain, values)
            self.run("quantize", "--in", plain, "--param", f"format={dtype}", "--out", path, "--device", "cpu")
        return path, dtype

    def count(self, target, problem):
        """Its launches."""
        operation, inputs, parameters = problem.ours
        words = [operation, "--device", f"simulated:{target}", "--counters", "--json"]
        for position, given in enumerate(inputs):
            path, dtype = self.write(position, *given)
            words += ["--in", path, "--dtype", dtype]
        for parameter in parameters:
            words += ["--param", parameter]
        return summed(json.loads(self.run(*words))["launches"])


def thousands(count):
    """Three digits of it."""
    return f"{count / 1000:.3g}" if count < 1e6 else f"{count / 1000:.0f}"


def row(problem, who, counted, ratio):
    """A line of the table."""
    sums = counted.sums
    figures = [sums["valu"], sums["matrix"], sums["lds"], sums["vector_memory"],
               sums["lines_64_loaded"] + sums["lines_64_stored"], sums["lds_conflicts"]]
    return (f"| {problem} | {who} | {counted.bound:.2f} | {counted.limit} | {ratio} | "
            + " | ".join(thousands(figure) for figure in figures) + f" | {len(counted.kernels)} |")


def theirs_or_why(peers, target, problem):
    """The peer's counts, or what the simulator said of its kernel."""
    try:
        return peers.count(target, problem), None
    except Failed as failed:
        faults = [line for line in str(failed).splitlines() if line.startswith("simulated ")]
        if not faults:
            raise
        return None, f"{problem.name}: {re.sub('^.* at 0x[0-9a-f]+ ', '', faults[0])}"


def print_target(target, product, problems, peers, ours):
    """A table, as far as it is done."""
    print(f"\n## {target} ({product})\n")
    print("| problem | kernels | bound | by | ratio | VALU | matrix | LDS | memory | lines | conflicts | launches |")
    print("|---|---|---|---|---|---|---|---|---|---|---|---|")
    failures = []
    for problem in problems:
        theirs, why = theirs_or_why(peers, target, problem)
        mine = ours.count(target, problem)
        peer, shown = ("llama.cpp" if problem.theirs[0] == "ggml" else "rocBLAS"), ""
        if theirs is None:
            failures.append(why)
            print(f"| {problem.name} | {peer} | not executed |" + " |" * 9)
        else:
            ratio = mine.bound / theirs.bound
            shown = f"{ratio:.2f}" if ratio <= problem.goal + 0.005 else f"**{ratio:.2f}**"
            print(row(problem.name, peer, theirs, ""))
        print(row("", "ours", mine, shown), flush=True)
    if failures:
        print("\nNot executed:\n")
    for why in failures:
        print(f"- {why}")


def main():
    """Prints the file."""
    parser = argparse.ArgumentParser(description=DESCRIPTION, epilog=EXAMPLES,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tool", type=pathlib.Path, required=True, help="kernel-gen of a build folder")
    parser.add_argument("--package", type=pathlib.Path, required=True)
    parser.add_argument("--peers", type=pathlib.Path, required=True, metavar="FOLDER")
    parser.add_argument("--targets", default="gfx90a,gfx1100,gfx1030")
    parser.add_argument("--filter", default="", help="only problems whose name contains this")
    options = parser.parse_args()
    machines = json.loads((ROOT / "manifests/machines.json").read_text(encoding="utf-8"))["machines"]
    products = {machine["target"]: machine["product"] for machine in machines}
    print("# AMD kernels and their peers, counted\n")
    print("`bench/amd_peers.py` prints these tables; its `--help` explains the columns. All kernels are executed by the\n"
          "[simulator](../../docs/simulator.md); nothing is timed. Bold marks a missed goal.")
    with tempfile.TemporaryDirectory() as folder:
        work = pathlib.Path(folder)
        peers = Peers(options.peers.resolve(), options.tool, work)
        ours = Ours(options.tool, options.package, work)
        for target in options.targets.split(","):
            chosen = [problem for problem in PROBLEMS if target in problem.targets and options.filter in problem.name]
            print_target(target, products[target], chosen, peers, ours)
    print(REASONS)


if __name__ == "__main__":
    try:
        main()
    except Failed as failure:
        sys.exit(f"amd_peers.py: {failure}")
