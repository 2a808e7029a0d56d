#!/usr/bin/env python3
"""llama.cpp continues a prompt on devices of the plug-in as on ggml's own CPU back end, at temperature 0:

    same_text.py PLUGIN MODEL [--prefix FOLDER] [--devices KernelGen0,KernelGen1]

Exits with 77 without llama.cpp, which tools/ggml.sh unpacks."""

import argparse
import os
import subprocess
import sys

import programs

PROMPT = "The conformance walk runs on"
TOKENS = 64
# llama-completion ends without writing all of its last tokens, more or fewer from run to run: common beginnings are compared,
# with at least this many characters after the prompt.
LEAST = 16


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("plugin")
    parser.add_argument("model")
    parser.add_argument("--prefix", default=os.environ.get("KERNELGEN_GGML", ""))
    parser.add_argument("--devices", default="KernelGen0")
    arguments = parser.parse_args()
    command = programs.find("llama-completion", arguments.prefix)
    if not command:
        print("skipped: no llama-completion; `tools/ggml.sh FOLDER` unpacks it for KERNELGEN_GGML=FOLDER")
        return 77
    command += ["-m", arguments.model, "-p", PROMPT, "-n", str(TOKENS), "--temp", "0", "-no-cnv", "--no-warmup"]
    command += ["-c", "256", "-ngl", "99"]
    environment = dict(os.environ, GGML_BACKEND_PATH=arguments.plugin)
    environment.setdefault("KERNELGEN_DEVICE", "cpu")
    texts = []
    for device in ("none", arguments.devices):
        run = subprocess.run(command + ["-dev", device], env=environment, capture_output=True, check=False)
        if run.returncode != 0:
            print(run.stderr.decode(errors="replace")[-2000:])
            print(f"llama-completion on {device}: exit code {run.returncode}")
            return 1
        texts.append(run.stdout.decode(errors="replace").rstrip())
    length = min(len(text) for text in texts)
    if length < len(PROMPT) + LEAST or texts[0][:length] != texts[1][:length]:
        print(f"on the CPU:\n{texts[0]}\non {arguments.devices}:\n{texts[1]}")
        return 1
    print(f"the same {length} characters: {texts[0][:length]}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
