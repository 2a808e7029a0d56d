#!/usr/bin/env python3
"""Times ggml's programs on two back ends and prints Markdown tables, as in bench/results/ggml.md:

    ggml_speed.py PLUGIN OTHER [--prefix FOLDER] [--gpus 0] [--other-name CUDA0] [--models DIR] [--only operations|models]

PLUGIN is libggml-kernelgen.so, OTHER another back end of the same ggml, such as libggml-cuda.so. `test-backend-ops perf` and
`llama-bench` are those that tools/ggml.sh unpacked into FOLDER, or installed ones. With one GPU the back ends take turns; with
two (--gpus 0,1), of one kind, they run at the same time, each on one. Models of random weights are written into DIR (4 GB)
where they are missing. Ratios are the other back end's time over ours, or our tokens per second over its. Needs NumPy."""

import argparse
import glob
import json
import math
import os
import re
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
# Operations and the regular expression that their cases' parameters match.
WEIGHTS = "f16|q4_0|q8_0|mxfp4|q4_K|q6_K"
OPERATIONS = (
    ("MUL_MAT", rf"type_a=({WEIGHTS}),type_b=f32,m=4096,n=(1|8|512),k=14336,bs=.1,1.,nr=.1,1."),
    ("MUL_MAT_ID", rf"type_a=({WEIGHTS})"),
    *((name, ".") for name in ("FLASH_ATTN_EXT", "SOFT_MAX", "ROPE", "ADD", "GATED_DELTA_NET", "SSM_SCAN", "CPY")),
)
MODELS = (("llama", "f16"), ("llama", "q4_K"), ("llama", "q8_0"), ("qwen3moe", "q4_K"))
CASE = re.compile(r"^\s*([A-Z0-9_]+\(.*\)): +\d+ runs - +([\d.]+) us/run", re.M)
COLOUR = re.compile(r"\x1b\[[0-9;]*m")
ONE_OPERATION_S = 60  # cases that both back ends have reached by then are counted


def command(prefix, program):
    """The command that starts a program of ggml or llama.cpp."""
    for suite in ("sid", "backports"):
        folder = Path(prefix, suite) if prefix else None
        if folder and [*glob.glob(f"{folder}/usr/bin/{program}"), *glob.glob(f"{folder}/usr/libexec/*/ggml/{program}")]:
            return [str(folder / "run"), program]
    found = shutil.which(program) or next(iter(glob.glob(f"/usr/libexec/*/ggml/{program}")), None)
    if not found:
        sys.exit(f"ggml_speed.py: no {program} in '{prefix}' and none is installed; tools/ggml.sh FOLDER unpacks it")
    return [found]


def output(backend, gpu, arguments, limit=None):
    """What a program prints on a back end; what it printed so far after `limit` seconds."""
    environment = {**os.environ, "GGML_BACKEND_PATH": str(backend), "CUDA_VISIBLE_DEVICES": gpu, "HIP_VISIBLE_DEVICES": gpu}
    with subprocess.Popen(arguments, env=environment, text=True, errors="replace",
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        try:
            text, errors = process.communicate(timeout=limit)
        except subprocess.TimeoutExpired:
            process.kill()
            text, errors = process.communicate()
            print(f"ggml_speed.py: {' '.join(arguments)} was cut off after {limit} s", file=sys.stderr)
        if not text:
            print(f"ggml_speed.py: {' '.join(arguments)} with {backend}: {errors[-400:]}", file=sys.stderr)
        return text


def both(arguments, run):
    """run(back end, GPU) for both back ends: at the same time if there are two GPUs."""
    gpus = arguments.gpus.split(",")
    with ThreadPoolExecutor(len(gpus[:2])) as pool:
        return list(pool.map(run, (arguments.plugin, arguments.other), (gpus[0], gpus[-1])))


def mean(ratios):
    return math.exp(sum(map(math.log, ratios)) / len(ratios))


def summary(name, ratios):
    return f"| {name} | {len(ratios)} | {mean(ratios):.2f} | {min(ratios):.2f} | {max(ratios):.2f} |"


def time_operations(arguments):
    program = command(arguments.prefix, "test-backend-ops")
    rows = []
    print("| operation | rows | mean | worst | best |\n|---|---|---|---|---|")
    for name, cases in OPERATIONS:

        def run(backend, gpu):
            device = "KernelGen0" if backend == arguments.plugin else arguments.other_name
            text = output(backend, gpu, [*program, "perf", "-b", device, "-o", name, "-p", cases], ONE_OPERATION_S)
            return {case: float(time) for case, time in CASE.findall(COLOUR.sub("", text))}

        ours, theirs = both(arguments, run)
        here = [(case, ours[case], theirs[case]) for case in ours if case in theirs]
        if here:
            rows += here
            print(summary(name, [other / own for _, own, other in here]), flush=True)
    if not rows:
        sys.exit("ggml_speed.py: no case ran on both back ends")
    print(summary("all", [other / own for _, own, other in rows]))
    print("\n| case | us, ours | us, other | ratio |\n|---|---|---|---|")
    for case, own, other in rows:
        print(f"| {case} | {own:,.1f} | {other:,.1f} | {other / own:.2f} |")


def model_file(folder, architecture, dtype):
    path = Path(folder, f"{architecture}-{dtype}.gguf")
    if not path.exists():
        part = path.with_suffix(".part")
        script = ROOT / "tests/ggml/made_up_model.py"
        subprocess.run([sys.executable, script, architecture, part, "--type", dtype, "--layers", "16",
                        "--width", "2048", "--words", "32000"], check=True)
        part.rename(path)
    return path


def time_models(arguments):
    program = command(arguments.prefix, "llama-bench")
    Path(arguments.models).mkdir(parents=True, exist_ok=True)
    print("| model | pp8 | pp64 | pp512 | tg128 |\n|---|---|---|---|---|")
    for architecture, dtype in MODELS:
        path = model_file(arguments.models, architecture, dtype)

        def run(backend, gpu):
            text = output(backend, gpu, [*program, "-m", str(path), "-fa", "1", "-p", "8,64,512", "-n", "128", "-ngl", "99",
                                         "-r", "3", "-o", "json"])
            return [row["avg_ts"] for row in json.loads(text or "[]")]

        cells = [f"{own:,.0f} / {other:,.0f} ({own / other:.2f})" for own, other in zip(*both(arguments, run))]
        print(f"| {architecture} {dtype} | " + " | ".join(cells or ["failed"] * 4) + " |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("plugin", type=Path)
    parser.add_argument("other", type=Path)
    parser.add_argument("--prefix", default=os.environ.get("KERNELGEN_GGML", ""))
    parser.add_argument("--gpus", default="0", help="the GPU, or two of one kind")
    parser.add_argument("--other-name", default="CUDA0", help="the other back end's device, as ggml lists it")
    parser.add_argument("--models", default="ggml-models", help="folder of the models")
    parser.add_argument("--only", choices=("operations", "models"))
    arguments = parser.parse_args()
    for backend in (arguments.plugin, arguments.other):
        if not backend.exists():
            sys.exit(f"ggml_speed.py: no {backend}")
    if arguments.only != "models":
        time_operations(arguments)
    if arguments.only != "operations":
        time_models(arguments)


if __name__ == "__main__":
    main()
