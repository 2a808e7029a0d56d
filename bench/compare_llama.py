#!/usr/bin/env python3
"""examples/llama compared with llama.cpp: the same GGUF file, the same device, in turns."""

import argparse
import json
import os
import pathlib
import statistics
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent

DESCRIPTION = """\
Runs `llama MODEL --bench` and llama.cpp's `llama-bench` in turns and prints tokens a second of both: a prompt (pp), and
tokens one by one from an empty text on (tg). Each program warms up first; the middle of all its timings is printed.

  ratio   ours by llama.cpp's: above 1 this library is faster

On the CPU both use the same number of threads. On a GPU llama.cpp puts all layers there."""

EXAMPLES = """\
examples:
  build/release/examples/make_model --preset 1b --type q4_K model.gguf
  bench/compare_llama.py --llama-bench ~/llama.cpp/build/bin/llama-bench model.gguf
  bench/compare_llama.py --llama-bench …/llama-bench --device cuda:0 --dtype f16 model.gguf"""


def run(command):
    """What a program prints."""
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"compare_llama.py: {' '.join(map(str, command))} ended with {done.returncode}:\n{done.stderr.strip()}")
    return done.stdout


def time_ours(options, model):
    device = f"cpu:{options.threads}" if options.device == "cpu" else options.device
    printed = run([options.llama, model, "--device", device, "--dtype", options.dtype, "--json",
                   "--bench", f"{options.prompt},{options.tokens}"])
    figures = json.loads(printed)
    return {"prefill": figures["prefill_tokens_per_second"], "decode": figures["decode_tokens_per_second"],
            "load": [figures["load_seconds"]], "first token": [figures["first_token_seconds"]]}


def time_theirs(options, model):
    layers = 0 if options.device == "cpu" else 999
    printed = run([options.llama_bench, "-m", model, "-p", str(options.prompt), "-n", str(options.tokens),
                   "-t", str(options.threads), "-ngl", str(layers), "-r", "5", "-o", "json", *options.llama_bench_option])
    rows = json.loads(printed)
    samples = lambda key: [rate for row in rows if row[key] for rate in row["samples_ts"]]
    return {"prefill": samples("n_prompt"), "decode": samples("n_gen")}


def parse():
    parser = argparse.ArgumentParser(description=DESCRIPTION, epilog=EXAMPLES,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("models", nargs="+", type=pathlib.Path, help="GGUF files")
    parser.add_argument("--llama-bench", required=True, help="llama.cpp's program, built for that device")
    parser.add_argument("--llama-bench-option", action="append", default=[], metavar="WORD",
                        help="another word for it, as --llama-bench-option=-fa --llama-bench-option=1")
    parser.add_argument("--llama", default=ROOT / "build/release/examples/llama", help="this library's: %(default)s")
    parser.add_argument("--device", default="cpu", help="cpu, cuda:0, hip:0: %(default)s")
    parser.add_argument("--dtype", default="f32", choices=["f32", "f16", "bf16"],
                        help="of our activations and cache; llama.cpp's cache is f16: %(default)s")
    parser.add_argument("--threads", type=int, default=os.cpu_count(), help="of the CPU: %(default)s")
    parser.add_argument("--prompt", type=int, default=512, help="tokens of the prompt: %(default)s")
    parser.add_argument("--tokens", type=int, default=128, help="tokens one by one: %(default)s")
    parser.add_argument("--rounds", type=int, default=2, help="how often both run: %(default)s")
    parser.add_argument("--json", action="store_true", help="all timings as JSON")
    return parser.parse_args()


def main():
    options = parse()
    results = []
    for model in options.models:
        ours, theirs = {}, {}
        for _ in range(options.rounds):
            for figures, measured in ((ours, time_ours(options, model)), (theirs, time_theirs(options, model))):
                for name, values in measured.items():
                    figures.setdefault(name, []).extend(values)
        results.append({"model": model.name, "ours": ours, "llama.cpp": theirs})
    if options.json:
        print(json.dumps(results, indent=2))
        return
    print("| model | | kernel-gen tokens/s | llama.cpp tokens/s | ratio |\n|---|---|---:|---:|---:|")
    for result in results:
        for name in ("prefill", "decode"):
            ours, theirs = (statistics.median(result[side][name]) for side in ("ours", "llama.cpp"))
            print(f"| {result['model']} | {name} | {ours:.1f} | {theirs:.1f} | {ours / theirs:.2f} |")
        print(f"\n{result['model']}: loaded in {min(result['ours']['load']):.2f} s, first token "
              f"{min(result['ours']['first token']):.2f} s later")


if __name__ == "__main__":
    main()
