#!/usr/bin/env python3
"""Imports kernels that others wrote, and prints the table of bench/results/import.md.

  bench/import.py KERNEL_GEN FOLDER [--most N] [--jobs N] > bench/results/import.md

FOLDER holds sources of candle, ggml, hip-tests, llm.c and rocm-examples, each in a folder of that name. --most is how many
files of each are read, in the order of their names; all by default. What a file gave is kept in FOLDER/results, so that an
interrupted run goes on; with --most 0 only what is kept is printed. --jobs is how many files are read at the same time.
"""
import argparse
import concurrent.futures
import json
import pathlib
import re
import subprocess
import sys

SHIPPED = pathlib.Path(__file__).resolve().parent.parent / "kernels"

# Name, files, and what their own builds pass to the compiler.
PROJECTS = {
    "candle": (["candle-kernels/src/*.cu"], [], "candle-kernels: the modules of candle's CUDA back end"),
    "ggml": (["src/ggml-cuda/*.cu"], ["-I", "include", "-I", "src", "-D", "GGML_USE_HIP"],
             "the CUDA back end of ggml and llama.cpp, built as its HIP back end"),
    "hip-tests": (["samples/**/*.cpp", "samples/**/*.hip"], ["-I", "samples/common"], "HIP's sample programs"),
    "llm.c": (["dev/cuda/*.cu"], ["-I", "dev/cuda", "-I", "llmc"], "kernels of a GPT-2 in CUDA"),
    "rocm-examples": (["HIP-Basic/**/*.hip", "Applications/**/*.hip"], ["-I", "Common"], "AMD's examples"),
}
# What clang is asked beside the import itself, which reads a file for gfx90a.
TARGETS = {
    "gfx1100": ["-x", "hip", "--offload-device-only", "--offload-arch=gfx1100", "-nogpuinc", "-nogpulib",
                "-DKERNELGEN_WAVE_SIZE=32"],
    "cpu": ["-x", "c++", "-march=x86-64-v3"],
}


def run(command, folder):
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, errors="replace", check=False)


def global_functions(text):
    """Names in the definitions of __global__ functions, for a file that was refused as a whole."""
    text = re.sub(r"//[^\n]*|/\*.*?\*/", "", text, flags=re.S)
    return set(re.findall(r"__global__[^;{}]*?(\w+)\s*\([^;{]*\{", text))


def import_file(tool, root, file, options, out):
    """What came of the file: functions, those taken, entries, and why not the others."""
    done = run([tool, "import", file.relative_to(root), *options, "--leave-out", "--out", out], root)
    manifests = sorted(pathlib.Path(out).glob("manifests/*.json"))
    refused = {}
    for line in done.stderr.splitlines():
        if match := re.search(r"kernel '(?:\w+::)*(\w+)[^']*' (.*)", line):
            refused.setdefault(match[1], match[2])
    if "holds no __global__ function" in done.stderr:
        return {"functions": [], "taken": [], "entries": 0, "compiles": {}, "why": {"": "no kernel with these options"}}
    if not manifests:
        why = re.sub(r"^kernel-gen: error: ", "", (done.stderr.splitlines() or ["?"])[0])
        names = global_functions(file.read_text(errors="replace")) or set(refused)
        return {"functions": sorted(names), "taken": [], "entries": 0, "compiles": {},
                "why": {name: refused.get(name, why) for name in names}}
    symbols = json.loads(manifests[0].read_text())["symbols"]
    taken = {re.sub(r"<.*", "", symbol["doc"]).split("::")[-1] for symbol in symbols}
    header = pathlib.Path(out, "kernels", manifests[0].stem + ".hpp")
    compiles = {}
    for target, flags in TARGETS.items():
        check = run(["clang++-19", *flags, "-std=c++17", "-fsyntax-only", "-w", "-I", header.parent, "-I", SHIPPED,
                     header], root)
        error = re.search(r"error: (.*)", check.stderr)
        compiles[target] = error[1] if error else ""
    why = {name: reason for name, reason in refused.items() if name not in taken}
    return {"functions": sorted(taken | set(why)), "taken": sorted(taken), "entries": len(symbols),
            "compiles": compiles, "why": why}


def flat_name(root, file):
    return str(file.relative_to(root)).replace("/", "_")


def kept_file(root, folder, project, file):
    return folder / "results" / project / (flat_name(root, file) + ".json")


def kept_result(tool, root, folder, project, file, options):
    """What came of the file, now or in a run before."""
    name = str(file.relative_to(root))
    kept = kept_file(root, folder, project, file)
    if not kept.exists():
        out = folder / "imported" / project / flat_name(root, file)
        kept.parent.mkdir(parents=True, exist_ok=True)
        subprocess.run(["rm", "-rf", out], check=True)
        result = import_file(tool, root, file, options, out)
        unfinished = kept.with_suffix(".part")
        unfinished.write_text(json.dumps(result))
        unfinished.rename(kept)
        print(project, name, file=sys.stderr, flush=True)
    return name, json.loads(kept.read_text())


def rows_of(tool, folder, project, most, pool):
    globs, options, _ = PROJECTS[project]
    root = folder / project
    files = sorted({file for glob in globs for file in root.glob(glob)
                    if "__global__" in file.read_text(errors="replace")})
    if most == 0:
        files = [file for file in files if kept_file(root, folder, project, file).exists()]
    return pool.map(lambda file: kept_result(tool, root, folder, project, file, options), files[:most or None])


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tool", type=pathlib.Path, metavar="KERNEL_GEN")
    parser.add_argument("folder", type=pathlib.Path, metavar="FOLDER")
    parser.add_argument("--most", type=int, metavar="N")
    parser.add_argument("--jobs", type=int, metavar="N", default=1)
    return parser.parse_args()


def main():
    given = arguments()
    tool, folder = given.tool.resolve(), given.folder.resolve()
    lines, totals = [], {}
    with concurrent.futures.ThreadPoolExecutor(given.jobs) as pool:
        results = {project: rows_of(tool, folder, project, given.most, pool) for project in PROJECTS}
    for project, (_, options, what) in PROJECTS.items():
        total = totals[project] = {"files": 0, "functions": 0, "taken": 0, "entries": 0, **dict.fromkeys(TARGETS, 0)}
        lines += [f"\n## {project}\n", f"{what[0].upper()}{what[1:]}; options `{' '.join(options) or 'none'}`.\n",
                  "| file | functions | taken | entries | gfx1100 | cpu | refused, and why |",
                  "|---|---|---|---|---|---|---|"]
        for name, result in results[project]:
            marks = ["no" if result["compiles"].get(target, "?") else "yes" for target in TARGETS]
            reasons = [f"{kernel}: {why}".removeprefix(": ") for kernel, why in sorted(result["why"].items())]
            reasons += [f"{target}: {error}" for target, error in result["compiles"].items() if error]
            reasons = [re.sub(r"[|\n]", " ", reason)[:160] for reason in reasons]
            shown = reasons if len(reasons) <= 3 else [*reasons[:2], f"and {len(reasons) - 2} more"]
            lines.append(f"| {name} | {len(result['functions'])} | {len(result['taken'])} | {result['entries']} | "
                         f"{' | '.join(marks)} | {'<br>'.join(shown)} |")
            total["files"] += 1
            total["functions"] += len(result["functions"])
            total["taken"] += len(result["taken"])
            total["entries"] += result["entries"]
            for target, mark in zip(TARGETS, marks):
                total[target] += len(result["taken"]) if mark == "yes" else 0
    print("# Imported files\n\nWritten by `bench/import.py`. A function is a `__global__` function; templates count once, "
          "and are taken where the\nfile's own launches or explicit instantiations name at least one instance. The columns of "
          "gfx1100 and cpu say whether\nclang's front end takes the imported file for them.\n")
    print("| project | files | functions | taken (gfx90a) | entries | gfx1100 | cpu |\n|---|---|---|---|---|---|---|")
    every = {key: sum(total[key] for total in totals.values()) for key in next(iter(totals.values()))}
    for project, total in [*totals.items(), ("all", every)]:
        counts = [total["files"], total["functions"],
                  f"{total['taken']} ({100 * total['taken'] / max(total['functions'], 1):.0f} %)", total["entries"],
                  *(total[target] for target in TARGETS)]
        print(f"| {project} | {' | '.join(map(str, counts))} |")
    print("\n".join(lines))


if __name__ == "__main__":
    main()
