#!/usr/bin/env python3
"""Runs ggml's own suite, test-backend-ops, on the plug-in's first device: every case must pass or be refused by supports_op.

    suite.py PLUGIN [--prefix FOLDER] [--operations A,B] [--parameters REGEX] [--least N] [--jobs N [--limit S]]

Prints a table: cases that passed and cases that were refused, by operation. With --jobs, each operation is run by a process
on one core, N at a time, those of most cases by several; lines are printed as processes end, then their sums. Exits with 77 without the program, which Debian's libggml0 has in
/usr/libexec and tools/ggml.sh unpacks."""

import argparse
import collections
import concurrent.futures
import glob
import os
import queue
import re
import subprocess
import sys
import time
from pathlib import Path

CASE = re.compile(r"([A-Z][A-Z0-9_]*)\((.*)\): +(OK|FAIL|not supported)(.*)")
COLOUR = re.compile(r"\x1b\[[0-9;]*m")
# What a suite that ends early, by a crash of the plug-in or of the program, lacks.
SUMMARY = re.compile(r"\b\d+/\d+ backends passed")
# Beginnings of the first parameter, by which the cases of an operation are divided among processes.
TYPES = ("f32", "f16", "bf16", "q4_0", "q4_1", "q4_K", "q5_", "q6_", "q8_", "q[123]_", "iq1", "iq2", "iq3", "iq4", "[mnt]")
HEADS = ("40", *(f"{n},.*type_K={types}" for n in (64, 72) for types in ("f", "b", "q8", "q4", "q5")), "80", "96", "128", "192", "256",
         "320", "512", "576")
PIECES = {"MUL_MAT": ("type_a=", TYPES), "MUL_MAT_ID": ("type_a=", TYPES), "CPY": ("type_src=", TYPES),
          "FLASH_ATTN_EXT": ("hsk=", HEADS)}


def program(prefix):
    """The command that starts test-backend-ops, or nothing."""
    for unpacked in (Path(prefix, "backports", "run"), Path(prefix, "sid", "run")) if prefix else ():
        if unpacked.exists():
            return [str(unpacked), "test-backend-ops"]
    installed = glob.glob("/usr/libexec/*/ggml/test-backend-ops")
    return installed[:1]


def count(lines):
    """Cases by operation and outcome, and the lines of those that failed."""
    table, failed = collections.defaultdict(collections.Counter), []
    for line in lines:
        found = CASE.search(line)
        if not found:
            continue
        operation, _, outcome, backends = found.groups()
        if outcome == "not supported" and "[KernelGen" not in backends:
            outcome = "no reference"  # refused by ggml's CPU back end, with which results are compared
        table[operation][outcome] += 1
        if outcome == "FAIL":
            failed.append(line.strip())
    return table, failed


def pieces(command, operations, parameters):
    """Operations and parameters' expression of each process."""
    if not operations:
        listed = subprocess.run(command + ["--list-ops"], capture_output=True, text=True, check=True).stdout
        operations = re.findall(r"^  ([A-Z0-9_]+)$", listed, re.M)
        yield f"^(?!({'|'.join(operations)})$).*$", parameters  # cases of several nodes have other names
    for operation in sorted(operations, key=lambda each: each not in PIECES):  # the longest first
        if parameters or operation not in PIECES:
            yield operation, parameters
            continue
        name, beginnings = PIECES[operation]
        for beginning in beginnings:
            yield operation, f"^{name}{beginning}"
        yield operation, f"^(?!{name}({'|'.join(beginnings)}))"


def run(command, operations, parameters, environment, deadline):
    """The output of the suite's process by lines, and whether it is whole. Says so if it ended early."""
    command = command + ["test", "-b", "KernelGen0"]
    command += ["-o", operations] if operations else []
    command += ["-p", parameters] if parameters else []
    left = max(1, deadline - time.monotonic()) if deadline else None
    try:
        process = subprocess.run(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False,
                                 timeout=left)
        output, end = process.stdout, f"exit code {process.returncode}"
    except subprocess.TimeoutExpired as expired:
        output, end = expired.stdout or b"", "cut off"
    lines = [COLOUR.sub("", line) for line in output.decode(errors="replace").splitlines()]
    is_complete = end == "exit code 0" and any(SUMMARY.search(line) for line in lines)
    if not is_complete and not any(CASE.search(line) and "FAIL" in line for line in lines):
        print("\n".join(lines[-20:]))
    if not is_complete:
        print(f"{' '.join(command)}: {end}", flush=True)
    return lines, is_complete


def show(table):
    for operation, outcomes in sorted(table.items()):
        print(f"| {operation} | {outcomes['OK']} | {outcomes['not supported']} | {outcomes['no reference']} |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("plugin")
    parser.add_argument("--prefix", default=os.environ.get("KERNELGEN_GGML", ""))
    parser.add_argument("--operations")
    parser.add_argument("--parameters")
    parser.add_argument("--least", type=int, default=1, help="cases that must pass")
    parser.add_argument("--jobs", type=int, default=1, help="processes at a time")
    parser.add_argument("--limit", type=float, help="seconds after which processes are cut off, with --jobs")
    arguments = parser.parse_args()

    command = program(arguments.prefix)
    if not command:
        print("skipped: no test-backend-ops; `tools/ggml.sh FOLDER` unpacks it for KERNELGEN_GGML=FOLDER")
        return 77
    environment = dict(os.environ, GGML_BACKEND_PATH=arguments.plugin)
    environment.setdefault("KERNELGEN_DEVICE", "cpu")
    print("| operation | passed | refused | without a reference |\n|---|---|---|---|")
    if arguments.jobs > 1:
        operations = arguments.operations.split(",") if arguments.operations else []
        deadline = time.monotonic() + arguments.limit if arguments.limit else None
        cores = queue.SimpleQueue()
        for i in range(arguments.jobs):
            cores.put(str(i % os.cpu_count()))

        def run_piece(piece):
            core = cores.get()
            try:
                result = run(["taskset", "-c", core] + command, *piece, environment, deadline)
                show(count(result[0])[0])
                return result
            finally:
                cores.put(core)

        with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
            runs = list(pool.map(run_piece, pieces(command, operations, arguments.parameters)))
    else:
        runs = [run(command, arguments.operations, arguments.parameters, environment, None)]
    table, failed = count(line for lines, _ in runs for line in lines)
    if arguments.jobs > 1:
        print("| sums | | | |")
    show(table)
    passed = sum(outcomes["OK"] for outcomes in table.values())
    refused = sum(outcomes["not supported"] for outcomes in table.values())
    print(f"{len(table)} operations: {passed} cases passed, {refused} refused, {len(failed)} failed")
    for line in failed:
        print(line)
    if passed < arguments.least:
        print(f"{passed} cases passed; at least {arguments.least} have to")
    return 0 if all(is_good for _, is_good in runs) and not failed and passed >= arguments.least else 1


if __name__ == "__main__":
    sys.exit(main())
