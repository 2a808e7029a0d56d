#!/usr/bin/env python3
"""A layer of a model, decoded by llama.cpp on a device of the plug-in, takes as many launches as said:

    launches.py PLUGIN ARCHITECTURE LAUNCHES [--type f16] [--prefix FOLDER]

Compares the launches of a token between models of two and of three layers, and prints those of a layer by kernel. Exits with 77
without llama-bench, which tools/ggml.sh unpacks, or without NumPy."""

import argparse
import collections
import importlib.util
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import programs

HERE = Path(__file__).resolve().parent
# A token's launches are captured when it has the same graph as the token before.
CAPTURED = re.compile(r": (kg_\w+), .*, captured$", re.M)


def launches(command, environment, model, log):
    """The launches of one token, by kernel."""
    words = [*command, "-m", model, "-p", "0", "-n", "1", "-r", "1", "-fa", "1", "-ngl", "99", "-dev", "KernelGen0"]
    run = subprocess.run(words, env=dict(environment, KERNELGEN_LOG=log), stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                         check=False)
    if run.returncode != 0:
        sys.exit(f"{run.stdout.decode(errors='replace')[-2000:]}\nllama-bench: exit code {run.returncode}")
    counts = collections.Counter(CAPTURED.findall(Path(log).read_text(encoding="utf-8")))
    return counts or sys.exit("no token was captured")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("plugin")
    parser.add_argument("architecture")
    parser.add_argument("launches", type=int)
    parser.add_argument("--type", default="f16")
    parser.add_argument("--prefix", default=os.environ.get("KERNELGEN_GGML", ""))
    arguments = parser.parse_args()
    command = programs.find("llama-bench", arguments.prefix)
    if not command or not importlib.util.find_spec("numpy"):
        print("skipped: no llama-bench, which `tools/ggml.sh FOLDER` unpacks for KERNELGEN_GGML=FOLDER, or no NumPy")
        return 77
    environment = dict(os.environ, GGML_BACKEND_PATH=arguments.plugin)
    environment.setdefault("KERNELGEN_DEVICE", "cpu")
    counts = []
    with tempfile.TemporaryDirectory() as folder:
        for layers in ("2", "3"):
            model = f"{folder}/{layers}.gguf"
            subprocess.run([sys.executable, str(HERE / "made_up_model.py"), arguments.architecture, model, "--type",
                            arguments.type, "--layers", layers], check=True)
            counts.append(launches(command, environment, model, f"{folder}/{layers}.log"))
    counts[1].subtract(counts[0])
    layer = {kernel: count for kernel, count in counts[1].items() if count != 0}
    total = sum(layer.values())
    print(f"{arguments.architecture} {arguments.type}: {total} launches a layer, {arguments.launches} expected")
    for kernel, count in sorted(layer.items()):
        print(f"{count:4} {kernel}")
    return 0 if total == arguments.launches else 1


if __name__ == "__main__":
    sys.exit(main())
