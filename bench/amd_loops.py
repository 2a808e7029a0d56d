#!/usr/bin/env python3
"""What the loops of AMD kernels take, counted from a package's machine code: prints bench/results/amd_loops.md."""

import argparse
import collections
import fnmatch
import json
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent

DESCRIPTION = """\
Prints, from `kernel-gen inspect PACKAGE --loops --json` (docs/loops.md says what is counted), a table a target: first the
products (matrices, convolutions, attention), then how many of the kernels that memory bounds reach the goals.

  share      cycles of matrix instructions of those and the VALU's, as if they took turns; without matrix instructions
             fused multiplications of all VALU instructions
  cycles     of a SIMD for 2^16 products of elements, at least
  bound      the same in parts of those of its matrix instructions, or of the VALU's: 1.00 where all else hides under them,
             and the pipe that does not where it is more
  LDS, L1    cycles of what all SIMDs of a compute unit share, in the same parts
  in flight  KB that a compute unit's loads wait for at most
  slots      of the issue slots that the bytes leave at full bandwidth, how many the loop needs"""

EXAMPLES = """\
examples:
  kernel-gen build --target gfx90a,gfx942,gfx1030,gfx1100,gfx1201 --out package
  bench/amd_loops.py --tool kernel-gen package/kernelgen.kgpkg
  bench/amd_loops.py --tool kernel-gen package/kernelgen.kgpkg --before older/kernelgen.kgpkg"""

PRODUCTS = ("kg_matmul_*_tiled", "kg_conv2d_*_implicit_gemm", "kg_attention_mma_*")
# Kernels that move memory have a form per operand layout; these are the forms of aligned operands.
STREAMS = ("*_contiguous", "*_rows", "*_columns", "*_vector", "*_scalar", "kg_attention*_combine")
BYTES_GOAL, SLOTS_GOAL = 64 << 10, 0.5


def inspected(tool, package):
    """The rows of a package, by target and kernel."""
    command = [tool, "inspect", package, "--loops", "--json"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"amd_loops.py: {' '.join(map(str, command))} ended with {done.returncode}:\n{done.stderr.strip()}")
    rows = collections.defaultdict(dict)
    for row in json.loads(done.stdout):
        rows[row["target"]][row["kernel"]] = row
    return rows


def matches(kernel, patterns):
    """Whether a kernel's name is one of those."""
    return any(fnmatch.fnmatchcase(kernel, pattern) for pattern in patterns)


def multiplies_matrices(row):
    """Whether its loop has matrix instructions."""
    return row["pipes"]["matrix"]["instructions"] != 0


def busy_cycles(row):
    """Of the pipe that a product is to keep busy."""
    return row["pipes"]["matrix" if multiplies_matrices(row) else "valu"]["cycles"]


def share_of(row):
    """Of its matrix instructions, or of fused multiplications if it has none."""
    if multiplies_matrices(row):
        return row["matrix_share"]
    return row["multiplications"] / max(1, row["pipes"]["valu"]["instructions"])


def cycles_of(row):
    """Of a SIMD, for 2^16 products of elements."""
    return row["bound_cycles"] * 2**16 / max(1, row["products"])


def goal_of(target, kernel, row):
    """The least share that is wanted of a product."""
    if not multiplies_matrices(row) or target.startswith("gfx1"):
        return 0.75
    return 0.85 if "_f32_" in kernel or "_f64_" in kernel else 0.80


def is_product(kernel, row):
    """Whether its loop is one of products: a kernel that a target has no use for is none."""
    return matches(kernel, PRODUCTS) and (multiplies_matrices(row) or share_of(row) > 0.25)


def print_products(target, rows, before, simds):
    """The table of a target's products."""
    print("| kernel | share | before | goal | cycles | before | bound | by | LDS | L1 | in flight | waves |")
    print("|---|---|---|---|---|---|---|---|---|---|---|---|")
    for kernel, row in rows.items():
        if not is_product(kernel, row):
            continue
        busy, goal, share = busy_cycles(row), goal_of(target, kernel, row), share_of(row)
        earlier = before.get(kernel)
        was = [f"{share_of(earlier):.2f}", f"{cycles_of(earlier):.0f}"] if earlier and is_product(kernel, earlier) else ["-", "-"]
        cells = [f"`{kernel}`", f"{share:.2f}" if share >= goal else f"**{share:.2f}**", was[0], f"{goal:.2f}",
                 f"{cycles_of(row):.0f}", was[1],
                 f"{row['bound_cycles'] / busy:.2f}", row["bound_by"],
                 f"{row['pipes']['lds']['cycles'] * simds / busy:.2f}",
                 f"{row['pipes']['global']['cycles'] * simds / busy:.2f}",
                 f"{row['bytes_in_flight'] / 1024:.0f} KB", str(row["waves"])]
        print(f"| {' | '.join(cells)} |")


def moves(row):
    """Whether memory is what its loop waits for."""
    return row["loaded_bytes"] != 0 and row["bound_cycles"] < row["memory_cycles"]


def print_streams(target, rows, before):
    """How many of a target's streaming kernels reach the goals, now and, unless that is None, before."""
    def counts(table):
        streams = [row for kernel, row in table.items() if matches(kernel, STREAMS) and moves(row)]
        return [len(streams), sum(row["bytes_in_flight"] >= BYTES_GOAL for row in streams),
                sum(row["bound_cycles"] <= SLOTS_GOAL * row["memory_cycles"] for row in streams)]
    cells = [target, *map(str, counts(rows))]
    if before is not None:
        cells += map(str, counts(before)[1:])
    print(f"| {' | '.join(cells)} |")


def main():
    """Reads the packages and prints the page."""
    parser = argparse.ArgumentParser(prog="amd_loops.py", description=DESCRIPTION, epilog=EXAMPLES,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("package", type=pathlib.Path, help="package of kernels for AMD GPUs")
    parser.add_argument("--before", type=pathlib.Path, help="another one, whose shares stand beside it")
    parser.add_argument("--tool", default="kernel-gen", help="kernel-gen (default: %(default)s)")
    options = parser.parse_args()
    packages = inspected(options.tool, options.package)
    earlier = inspected(options.tool, options.before) if options.before else {}
    machines = {row["target"]: row for row in
                json.loads((ROOT / "manifests/machines.json").read_text(encoding="utf-8"))["machines"]}
    print("# Instruction counts of loops on AMD GPUs\n")
    print("`bench/amd_loops.py` prints these tables; its `--help` explains the columns, [docs/loops.md](../../docs/loops.md) how\n"
          "instructions are counted. Nothing is measured. Bold marks a missed goal.")
    for target, rows in packages.items():
        print(f"\n## Products, {target} ({machines[target]['product']})\n")
        print_products(target, rows, earlier.get(target, {}), machines[target]["simds"][0])
    print("\n## Memory\n\nKernels that memory bounds, in their forms for operands that whole accesses fit; of those the ones with"
          f"\n{BYTES_GOAL >> 10} KB and more in flight a compute unit, and the ones that need {SLOTS_GOAL} or less of the issue slots.\n")
    print("| target | kernels | in flight | slots |" + (" in flight, before | slots, before |" if earlier else ""))
    print("|---|---|---|---|" + ("---|---|" if earlier else ""))
    for target, rows in packages.items():
        print_streams(target, rows, earlier.get(target, {}) if earlier else None)


if __name__ == "__main__":
    main()
