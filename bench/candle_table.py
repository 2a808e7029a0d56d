#!/usr/bin/env python3
"""candle_table.py OURS OTHER [FILE...]: the table of what bench/candle printed, in Markdown.

OURS and OTHER are the labels to compare. Of several times of a row, as of programs that ran in turns, the smallest counts. The
ratio is OTHER's time by OURS: above 1 kernel-gen is faster."""

import fileinput
import math
import sys


def read(files):
    """Microseconds by row and label, in the order of the files."""
    times = {}
    for line in fileinput.input(files):
        name, size, label, microseconds = line.rstrip("\n").split("\t")
        labels = times.setdefault((name, size), {})
        labels[label] = min(float(microseconds), labels.get(label, math.inf))
    return times


def mean(ratios):
    return math.exp(sum(map(math.log, ratios)) / len(ratios))


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    ours, other = sys.argv[1:3]
    times = read(sys.argv[3:])
    print(f"| call | size | {ours}, µs | {other}, µs | ratio |\n|---|---|---|---|---|")
    ratios = {}
    for (name, size), labels in times.items():
        cells = [f"{labels[label]:.1f}" if label in labels else "refused" for label in (ours, other)]
        ratio = "-"
        if ours in labels and other in labels:
            ratios[name, size] = labels[other] / labels[ours]
            ratio = f"{ratios[name, size]:.2f}"
        print(f"| {name} | {size} | {cells[0]} | {cells[1]} | {ratio} |")
    if not ratios:
        sys.exit("candle_table.py: no row has both labels")
    behind = sorted((ratio, *row) for row, ratio in ratios.items() if ratio < 0.95)
    print(f"\n{len(ratios)} rows, geometric mean {mean(ratios.values()):.2f}, {len(behind)} below 0.95"
          + (":" if behind else "."))
    if behind:
        print("; ".join(f"{name} {size} {ratio:.2f}" for ratio, name, size in behind) + ".")


if __name__ == "__main__":
    main()
