#!/usr/bin/env python3
"""Runs ggml's own suite, test-backend-ops, on the plug-in's first device: every case must pass or be refused by supports_op.

    suite.py PLUGIN [--prefix FOLDER] [--operations A,B] [--parameters REGEX] [--least N]

Prints a table: cases that passed and cases that were refused, by operation. Exits with 77 without the program, which
Debian's libggml0 has in /usr/libexec and tools/ggml.sh unpacks."""

import argparse
import collections
import glob
import os
import re
import subprocess
import sys
from pathlib import Path

CASE = re.compile(r"([A-Z][A-Z0-9_]*)\((.*)\): +(OK|FAIL|not supported)(.*)")
COLOUR = re.compile(r"\x1b\[[0-9;]*m")
# What a suite that ends early, by a crash of the plug-in or of the program, lacks.
SUMMARY = re.compile(r"\b\d+/\d+ backends passed")


def program(prefix):
    """The command that starts test-backend-ops, or nothing."""
    unpacked = Path(prefix, "backports", "run")
    if prefix and unpacked.exists():
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


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("plugin")
    parser.add_argument("--prefix", default=os.environ.get("KERNELGEN_GGML", ""))
    parser.add_argument("--operations")
    parser.add_argument("--parameters")
    parser.add_argument("--least", type=int, default=1, help="cases that must pass")
    arguments = parser.parse_args()

    command = program(arguments.prefix)
    if not command:
        print("skipped: no test-backend-ops; `tools/ggml.sh FOLDER` unpacks it for KERNELGEN_GGML=FOLDER")
        return 77
    command += ["test", "-b", "KernelGen0"]
    command += ["-o", arguments.operations] if arguments.operations else []
    command += ["-p", arguments.parameters] if arguments.parameters else []
    environment = dict(os.environ, GGML_BACKEND_PATH=arguments.plugin)
    environment.setdefault("KERNELGEN_DEVICE", "cpu")
    run = subprocess.run(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    lines = [COLOUR.sub("", line) for line in run.stdout.decode(errors="replace").splitlines()]

    table, failed = count(lines)
    print("| operation | passed | refused | without a reference |\n|---|---|---|---|")
    for operation, outcomes in sorted(table.items()):
        print(f"| {operation} | {outcomes['OK']} | {outcomes['not supported']} | {outcomes['no reference']} |")
    passed = sum(outcomes["OK"] for outcomes in table.values())
    refused = sum(outcomes["not supported"] for outcomes in table.values())
    print(f"{len(table)} operations: {passed} cases passed, {refused} refused, {len(failed)} failed")
    for line in failed:
        print(line)
    is_complete = any(SUMMARY.search(line) for line in lines)
    if run.returncode != 0 or not is_complete:
        print("\n".join(lines[-20:]))
        print(f"{' '.join(command)}: exit code {run.returncode}{'' if is_complete else ', without a summary'}")
    if passed < arguments.least:
        print(f"{passed} cases passed; at least {arguments.least} have to")
    return 0 if run.returncode == 0 and is_complete and not failed and passed >= arguments.least else 1


if __name__ == "__main__":
    sys.exit(main())
