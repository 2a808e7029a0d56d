#!/usr/bin/env python3
"""llama.cpp predicts tokens on a device of the plug-in as on ggml's own CPU back end, for a model of random weights:

    same_predictions.py PLUGIN ARCHITECTURE [--type f16] [--prefix FOLDER] [--text FILE] [--context 64] [--chunks 8]

Fails if the perplexity differs by 0.1 % or the KL divergence exceeds 0.001, and says which of the two runs did not end well, and
how. Exits with 77 without llama-perplexity, which
tools/ggml.sh unpacks, or without NumPy."""

import argparse
import importlib.util
import os
import re
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

import programs

HERE = Path(__file__).resolve().parent
# The first run prints [chunk]perplexity so far, the second one a line a chunk: perplexity ± error, ln of its ratio to the stored
# one ± error, KL divergence ± error. Stored probabilities are cut off at e^-16, so the ratio is taken of what was printed.
# The program may end before it has written its last lines, so each chunk counts.
FIRST = re.compile(r"\[(\d+)\]([\d.]+)")
SECOND = re.compile(r"^ *(\d+) +([\d.]+) ±.*? -?[\d.]+ ± *\S+ +(-?[\d.]+) ±.*%", re.M)


def ending(code):
    """How a process ended."""
    return f"exit code {code}" if code >= 0 else f"{signal.Signals(-code).name} ({signal.strsignal(-code)})"


def last_lines(text, count=20):
    return "\n".join(text.splitlines()[-count:])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("plugin")
    parser.add_argument("architecture")
    parser.add_argument("--type", default="f16")
    parser.add_argument("--prefix", default=os.environ.get("KERNELGEN_GGML", ""))
    parser.add_argument("--text", default=str(HERE / "../../docs/ggml.md"))
    parser.add_argument("--context", default="64", help="tokens of a chunk")
    parser.add_argument("--chunks", default="8")
    arguments = parser.parse_args()
    command = programs.find("llama-perplexity", arguments.prefix)
    if not command or not importlib.util.find_spec("numpy"):
        print("skipped: no llama-perplexity, which `tools/ggml.sh FOLDER` unpacks for KERNELGEN_GGML=FOLDER, or no NumPy")
        return 77
    environment = dict(os.environ, GGML_BACKEND_PATH=arguments.plugin)
    environment.setdefault("KERNELGEN_DEVICE", "cpu")
    with tempfile.TemporaryDirectory() as folder:
        model, base = f"{folder}/model.gguf", f"{folder}/logits"
        subprocess.run([sys.executable, str(HERE / "made_up_model.py"), arguments.architecture, model, "--type", arguments.type],
                       check=True)
        command += ["-m", model, "-f", arguments.text, "-c", arguments.context, "--chunks", arguments.chunks, "-ngl", "99"]
        command += ["--kl-divergence-base", base]
        outputs = []
        for device, options in (("none", []), ("KernelGen0", ["--kl-divergence"])):
            lines = FIRST if device == "none" else SECOND
            for _ in range(3):  # it may end before it has written a line of any chunk
                run = subprocess.run([*command, "-dev", device, *options], env=environment, stdout=subprocess.PIPE,
                                     stderr=subprocess.PIPE, check=False)
                output, errors = (stream.decode(errors="replace") for stream in (run.stdout, run.stderr))
                if run.returncode != 0 or lines.search(output + errors):
                    break
            outputs.append(output + errors)
            if run.returncode != 0:
                print(f"{output[-1000:]}\n{last_lines(errors)}")
                print(f"{arguments.architecture} {arguments.type}: llama-perplexity -dev {device}: {ending(run.returncode)}")
                return 1
    first = dict(FIRST.findall(outputs[0]))
    chunks = [chunk for chunk in SECOND.findall(outputs[1]) if chunk[0] in first]
    if not chunks:
        print(outputs[1][-2000:])
        print("no chunk was compared")
        return 1
    number, perplexity, divergence = chunks[-1]
    ratio, divergence = float(perplexity) / float(first[number]), float(divergence)
    print(f"{arguments.architecture} {arguments.type}: {number} chunks, perplexity {ratio:.5f} of the CPU's, KL divergence {divergence}")
    return 0 if abs(ratio - 1) < 0.001 and divergence < 0.001 else 1


if __name__ == "__main__":
    sys.exit(main())
