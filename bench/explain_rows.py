#!/usr/bin/env python3
"""Why drawn rows take the time they take on a CUDA device: what Nsight Compute counts of their kernels."""

import argparse
import csv
import json
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent

DESCRIPTION = """\
Takes the figures that `compare_torch.py --sweep --json` wrote, runs each row that is slower than PyTorch once more under
Nsight Compute (`ncu`), and prints a table of its kernels as Markdown, the slowest rows first.

  us      of the kernel alone, its caches empty and without what a launch costs
  memory, L2, issue   busy share of the device's memory, its second cache, the slots that instructions are issued from
  warps   of those that multiprocessors have room for, in the mean
  waits   cycles of a warp between two of its instructions, by what it waits for: the two longest"""

EXAMPLES = """\
examples:
  bench/compare_torch.py --device cuda:0 --package package --sweep --seed 5 --json rows.json
  bench/explain_rows.py rows.json --package package > rows.md"""

STALL = "smsp__average_warps_issue_stalled_{}_per_issue_active.ratio"
WAITS = {
    "long_scoreboard": "memory", "short_scoreboard": "shared memory or special functions", "barrier": "others at a barrier",
    "no_instruction": "instructions", "imc_miss": "constants", "wait": "its last instruction", "math_pipe_throttle": "arithmetic",
    "mio_throttle": "the queue to shared memory", "lg_throttle": "the queue to memory", "tex_throttle": "the queue to memory",
    "not_selected": "its turn", "membar": "a fence", "branch_resolving": "a branch", "dispatch_stall": "dispatch",
    "drain": "stores", "gmma": "matrix instructions",
}
SHARES = {
    "memory": "dram__throughput.avg.pct_of_peak_sustained_elapsed",
    "L2": "lts__throughput.avg.pct_of_peak_sustained_elapsed",
    "issue": "smsp__issue_active.avg.pct_of_peak_sustained_elapsed",
    "warps": "sm__warps_active.avg.pct_of_peak_sustained_active",
}
TIME = "gpu__time_duration.sum"


def parse_arguments():
    parser = argparse.ArgumentParser(description=DESCRIPTION, epilog=EXAMPLES,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("figures", metavar="FILE", help="what compare_torch.py wrote with --json")
    parser.add_argument("--below", type=float, default=0.95, metavar="RATIO",
                        help="rows whose ratio is less (default: %(default)s)")
    parser.add_argument("--ncu", default="ncu", metavar="FILE", help="Nsight Compute (default: %(default)s)")
    parser.add_argument("--library", metavar="FILE", help="as compare_torch.py has it")
    parser.add_argument("--package", metavar="PATH", help="as compare_torch.py has it")
    return parser.parse_args()


def stop(problem):
    sys.exit(f"explain_rows: error: {problem}")


def profiled(options, report, rows):
    """What ncu prints."""
    metrics = [TIME, *SHARES.values(), *map(STALL.format, WAITS)]
    command = [options.ncu, "--profile-from-start", "off", "--nvtx", "--clock-control", "none", "--target-processes", "all",
               "--csv", "--page", "raw", "--print-units", "base", "--metrics", ",".join(metrics),
               sys.executable, str(ROOT / "bench/compare_torch.py"), "--profile", "--device", report["device"],
               "--seed", str(report["seed"]), "--repeat", ",".join(str(row["number"]) for row in rows)]
    for name in ("library", "package"):
        if getattr(options, name):
            command += [f"--{name}", getattr(options, name)]
    try:
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    except OSError as problem:
        stop(f"{options.ncu}: {problem.strerror}; it comes with the CUDA toolkit, --ncu names another")
    if done.returncode != 0:
        stop(f"{options.ncu} ended with {done.returncode}:\n{done.stdout[-2000:].strip()}")
    return done.stdout


def kernels_of_rows(printed):
    """For each row's number the figures of its kernels, by metric."""
    lines = printed.splitlines()
    start = next((i for i, text in enumerate(lines) if text.startswith('"ID"')), len(lines))
    kernels = {}
    for kernel in csv.DictReader(text for text in lines[start:] if text.startswith('"')):
        # In a column that is named by all that a range may have.
        if found := re.search(r"\brow (\d+)\b", " ".join(map(str, kernel.values()))):
            kernels.setdefault(int(found[1]), []).append(kernel)
    if not kernels:
        stop(f"ncu printed no kernel of a row:\n{printed[-4000:].strip()}")
    return kernels


def number(kernel, metric):
    try:
        return float(kernel[metric].replace(",", ""))
    except (KeyError, ValueError):
        return 0.0


def cells(kernel):
    waits = sorted(((number(kernel, STALL.format(name)), name) for name in WAITS), reverse=True)[:2]
    return [f"`{kernel['Kernel Name'].split('(')[0]}`", f"{number(kernel, TIME) / 1e3:.1f}",
            *(f"{number(kernel, metric):.0f} %" for metric in SHARES.values()),
            ", ".join(f"{WAITS[name]} {cycles:.1f}" for cycles, name in waits)]


def main():
    options = parse_arguments()
    try:
        report = json.loads(pathlib.Path(options.figures).read_text())
    except (OSError, ValueError) as problem:
        stop(f"{options.figures}: {problem}")
    if report.get("seed") is None or not str(report.get("device")).startswith("cuda"):
        stop(f"{options.figures}: not the figures of rows that were drawn on a CUDA device")
    rows = sorted((row for row in report["rows"] if row["ratio"] and row["ratio"] < options.below),
                  key=lambda row: row["ratio"])
    if not rows:
        print(f"No row is below {options.below}.")
        return
    kernels = kernels_of_rows(profiled(options, report, rows))
    print(f"| row of seed {report['seed']} | ratio | us | PyTorch | kernel | us | {' | '.join(SHARES)} | waits |")
    print("|---|---:|---:|---:|---|---:|" + "---:|" * len(SHARES) + "---|")
    for row in rows:
        head = [f"{row['number']}: {row['operation']} {row['shape']}", f"{row['ratio']:.2f}",
                f"{row['ms'] * 1e3:.1f}", f"{row['pytorch_ms'] * 1e3:.1f}"]
        for kernel in kernels.get(row["number"], []):
            print(f"| {' | '.join(head + cells(kernel))} |")
            head = [""] * 4


if __name__ == "__main__":
    main()
