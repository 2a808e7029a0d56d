#!/usr/bin/env python3
"""kernel-gen compared with PyTorch: the same operations on the same memory in the same run."""

import argparse
import ctypes
import functools
import importlib.util
import json
import math
import os
import pathlib
import re
import statistics
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent

DESCRIPTION = """\
Runs the cases of bench/cases.json, those of `kernel-gen bench`, through PyTorch and through kernel-gen's Python
package (bindings/python) on the same tensors, which are shared by DLPack. kernel-gen's result is compared with PyTorch's
(computed in f32, on the CPU in f64) first; then both are timed in turns. Before each call a large copy empties the caches; it is timed as well, and `share` refers to it.

  ms      median; on a GPU between two events in PyTorch's stream, kernel-gen's default stream too
  GB/s    each input counted once, the output once
  share   kernel-gen's GB/s by those of the copy: copy_ of 256 MiB on a GPU, one memcpy of 128 MiB on the CPU
  ratio   PyTorch's time by kernel-gen's, median of the turns: above 1 kernel-gen is faster

Floating-point options are PyTorch's defaults, but no TF32 in convolutions; cuDNN may search for its best
algorithm. scatter_add and index_add add in any order on both sides (kernel-gen: deterministic = 0). On the
CPU malloc keeps what PyTorch frees, so that its results do not cost page faults.

With --sweep the rows are drawn at random, each by the seed and its number alone, and a table by operation ends
the report. There what takes less than PyTorch needs for one element counts as that: the launch that both pay.
--repeat gives rows of those numbers again. --profile calls kernel-gen once a row where a profiler has been started, and
times nothing: bench/explain_rows.py runs it below Nsight Compute."""

EXAMPLES = """\
examples:
  cmake --preset release && cmake --build --preset release --target kernelgen_c
  bench/compare_torch.py --threads 2                          the CPU, with the library's own kernels
  bench/compare_torch.py --filter 'softmax|layer_norm'        some rows
  bench/compare_torch.py --sweep --seed 5 --rows 500          drawn rows
  bench/compare_torch.py --seed 5 --repeat 17                 one of them
  kernel-gen build --target cpu,sm_90 --out package
  bench/compare_torch.py --device cuda:0 --package package    a GPU

Exit code: 0, also without PyTorch; 1 where a result was wrong; 2 where nothing could be run."""


def row_numbers(text):
    try:
        return [int(number) for number in text.split(",")]
    except ValueError:
        raise argparse.ArgumentTypeError(f"'{text}' is no row's number, nor several with commas between") from None


def parse_arguments():
    parser = argparse.ArgumentParser(description=DESCRIPTION, epilog=EXAMPLES,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--device", default="cpu", metavar="NAME", help="cpu (default), cuda:N or hip:N")
    parser.add_argument("--threads", type=int, metavar="N", help="CPU threads of both; default: all cores")
    parser.add_argument("--filter", default="", metavar="REGEX", help="only rows whose name has a match")
    parser.add_argument("--library", default=str(ROOT / "build/release/libkernelgen.so"), metavar="FILE",
                        help="libkernelgen.so (default: %(default)s)")
    parser.add_argument("--package", metavar="PATH",
                        help="kernels: a .kgpkg file, or the folder of one; default: those in the library")
    parser.add_argument("--json", metavar="FILE", help="also write the figures there, and the fastest times")
    parser.add_argument("--sweep", action="store_true",
                        help="rows drawn at random in place of the cases: shapes, dtypes, layouts, parameters")
    parser.add_argument("--seed", type=int, default=1, metavar="N", help="of the sweep (default: %(default)s)")
    parser.add_argument("--rows", type=int, default=1000, metavar="N", help="of the sweep (default: %(default)s)")
    parser.add_argument("--repeat", type=row_numbers, metavar="ROW,…", help="those rows of the sweep alone")
    parser.add_argument("--profile", action="store_true",
                        help="on a CUDA device: no timing, one call a row for `ncu --profile-from-start off`")
    parser.add_argument("--bytes", type=int, metavar="N",
                        help="most of a drawn tensor; default: 2^28 on a GPU, 2^25 on the CPU")
    parser.add_argument("--quick", action="store_true", help="small shapes: do the results agree")
    parser.add_argument("--list", action="store_true", help="print the rows' names and stop")
    options = parser.parse_args()
    if not re.fullmatch(r"cpu|(cuda|hip):\d+", options.device):
        parser.error(f"--device {options.device}: there are cpu, cuda:N and hip:N")
    if options.profile and not options.device.startswith("cuda"):
        parser.error(f"--profile with --device {options.device}: a CUDA profiler sees CUDA devices only")
    if options.threads is None:
        options.threads = len(os.sched_getaffinity(0))
    if options.repeat is not None:
        options.sweep = True
    for name in ("rows", "bytes"):
        if getattr(options, name) is not None and getattr(options, name) < 1:
            parser.error(f"--{name} {getattr(options, name)}: at least 1")
    if options.threads < 1:
        parser.error(f"--threads {options.threads}: at least 1")
    try:
        re.compile(options.filter)
    except re.error as problem:
        parser.error(f"--filter '{options.filter}' is no regular expression: {problem}")
    return options


def stop(problem):
    print(f"compare_torch: error: {problem}", file=sys.stderr)
    sys.exit(2)


def package_file(path):
    """The package that the option names."""
    if path is None:
        return None
    file = pathlib.Path(path)
    if file.is_dir():
        file = file / "kernelgen.kgpkg"
    if not file.is_file():
        stop(f"no package {file}; make one with `kernel-gen build --target cpu,sm_90 --out {path}`")
    return str(file)


class CpuClock:
    """Times calls by the wall clock."""

    seconds = 3.0  # of one side of a row

    def __init__(self, copied):
        self.copied = copied
        self._from = ctypes.create_string_buffer(copied)
        self._to = ctypes.create_string_buffer(copied)

    def once(self, work):
        """Milliseconds of the copy and of the call after it."""
        start = time.perf_counter()
        ctypes.memmove(self._to, self._from, self.copied)
        middle = time.perf_counter()
        work()
        return (middle - start) * 1e3, (time.perf_counter() - middle) * 1e3

    def read(self, times):
        return times


class GpuClock:
    """Times calls by events. The copy before each call takes longer than the host needs to enqueue it."""

    seconds = 1.0

    def __init__(self, copied, torch, device):
        self.copied = copied
        self._event = lambda: torch.cuda.Event(enable_timing=True)
        self._synchronize = torch.cuda.synchronize
        self._from = torch.ones(copied, dtype=torch.uint8, device=device)
        self._to = torch.ones_like(self._from)

    def once(self, work):
        events = [self._event() for _ in range(3)]
        events[0].record()
        self._to.copy_(self._from)
        events[1].record()
        work()
        events[2].record()
        return events

    def read(self, times):
        self._synchronize()
        return [(a.elapsed_time(b), b.elapsed_time(c)) for a, b, c in times]


def measure(clock, works, quick):
    """For each call a list of times, a turn each: of the copy and of the call after it, in milliseconds."""
    slowest = 0.0
    for work in works:
        work()
        slowest = max(slowest, clock.read([clock.once(work)])[0][1])
    repeats = 3 if quick else max(5, min(25, int(clock.seconds * 1e3 / slowest)))
    times = [[] for _ in works]
    for turn in range(repeats):
        # Each goes first as often as second.
        for side in range(len(works))[:: 1 if turn % 2 == 0 else -1]:
            times[side].append(clock.once(works[side]))
    return [clock.read(side) for side in times]


def is_missing(error):
    """Whether PyTorch said that it has no such kernel; PyTorch 1.13's transposed convolutions of bf16 take the
    weight's dims for those of a convolution."""
    return isinstance(error, NotImplementedError) or re.search("not implemented|expected input.* to have", str(error))


def calls(ours, case):
    """kernel-gen's, and PyTorch's where it has the dtype on this device."""
    try:
        case.theirs()
    except RuntimeError as error:
        if not is_missing(error):
            raise
        return [ours]
    return [ours, case.theirs]


def launch_time(clock, torch, device):
    """Milliseconds of PyTorch's work on one element."""
    one = torch.ones(1, device=device)
    (times,) = measure(clock, [lambda: torch.neg(one, out=one)], False)
    return statistics.median(call for _, call in times)


def figures(row, case, works, clock, quick, floor):
    """The row of the report. Times below `floor` are compared as if they were that."""
    sides = measure(clock, works, quick)
    copy_rate = 2 * clock.copied / statistics.median(copy for side in sides for copy, _ in side) / 1e6
    ours, *theirs = [[call for _, call in side] for side in sides]
    report = {"operation": row.name, "shape": row.shape, "number": row.number, "note": row.note, "ratio": None,
              "ms": statistics.median(ours), "fastest_ms": min(ours), "pytorch_ms": None,
              "pytorch_fastest_ms": None, "copy_gigabytes_per_second": copy_rate}
    if theirs:
        report["pytorch_ms"] = statistics.median(theirs[0])
        report["pytorch_fastest_ms"] = min(theirs[0])
        # Of neighbours in time, as other work on the machine slows both.
        report["ratio"] = statistics.median(max(b, floor) / max(a, floor) for a, b in zip(ours, theirs[0]))
    for side in ("", "pytorch_"):
        ms = report[f"{side}ms"]
        report[f"{side}gigabytes_per_second"] = ms and case.bytes / ms / 1e6
        report[f"{side}teraflops"] = ms and case.flops / ms / 1e9
    report["share_of_copy"] = report["gigabytes_per_second"] / copy_rate
    return report


def kernelgens(case, kernelgen, device):
    """kernel-gen's call of a case as a function of no arguments; tensors are shared here, once."""
    from torch_functions import DEVICE, Unsigned

    def given(argument):
        if argument is DEVICE:
            return device
        if isinstance(argument, Unsigned):
            tensor = argument.tensor
            return kernelgen.from_address(tensor.data_ptr(), tensor.numel() * tensor.element_size(), "u32",
                                          tensor.shape, device, owner=tensor)
        return kernelgen.from_dlpack(argument, device) if hasattr(argument, "__dlpack__") else argument

    return functools.partial(getattr(kernelgen, case.operation), *map(given, case.arguments),
                             **{name: given(argument) for name, argument in case.named.items()})


class Wrong(Exception):
    """A result that is not PyTorch's."""


def compare(row, kernelgen, device, clock, quick, floor):
    """The row of the report, once the result is known to be right."""
    case = row.prepare()
    ours = kernelgens(case, kernelgen, device)
    ours()
    device.synchronize()
    if problem := case.problem():
        raise Wrong(problem)
    report = figures(row, case, calls(ours, case), clock, quick, floor)
    device.synchronize()
    return report


def profile(row, kernelgen, device, torch):
    """One call where a profiler is on, in a range named by the row's number."""
    ours = kernelgens(row.prepare(), kernelgen, device)
    ours()
    device.synchronize()
    torch.cuda.profiler.start()
    with torch.cuda.nvtx.range(f"row {row.number}"):
        ours()
        device.synchronize()
    torch.cuda.profiler.stop()


def text(value, digits):
    return "-" if value is None else f"{value:.{digits}f}"


COLUMNS = "{:<26} {:<20} {:>9} {:>9} {:>7} {:>8} {:>6} {:>6}  {}"
HEADING = COLUMNS.format("row", "shape", "ms", "PyTorch", "GB/s", "PyTorch", "share", "ratio", "").rstrip()


def line(row):
    missing = row["pytorch_ms"] is None
    remarks = ["PyTorch lacks the dtype here" if missing else row["note"]]
    if row["teraflops"] > 0:
        theirs = "" if missing else f", PyTorch {row['pytorch_teraflops']:.3g}"
        remarks.append(f"{row['teraflops']:.3g} TFLOP/s{theirs}")
    number = "" if row["number"] is None else f"{row['number']}: "
    return COLUMNS.format(
        number + row["operation"], row["shape"], text(row["ms"], 4), text(row["pytorch_ms"], 4),
        text(row["gigabytes_per_second"], 1), text(row["pytorch_gigabytes_per_second"], 1),
        text(row["share_of_copy"], 3), text(row["ratio"], 2), "; ".join(filter(None, remarks))).rstrip()


def summary(rows, quick):
    compared = [row for row in rows if row["ratio"]]
    if quick or not compared:
        return f"{len(rows)} rows agree with PyTorch" + ("; such short times say little" if quick else "")
    mean = math.exp(statistics.fmean(math.log(row["ratio"]) for row in compared))
    slower = [f"  {row['operation']} {row['shape']} {row['ratio']:.2f}"
              for row in compared if row["ratio"] < 1]
    return "\n".join([f"{len(compared)} rows compared, geometric mean of the ratios {mean:.2f}",
                      f"PyTorch is faster in {len(slower)}{':' if slower else ''}", *slower])


def prepare_host(threads):
    """Before PyTorch is loaded, as BLAS and OpenMP read their environment once."""
    for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
        os.environ.setdefault(variable, str(threads))
    m_trim_threshold, m_mmap_max = -1, -4
    mallopt = ctypes.CDLL(None).mallopt
    mallopt(m_trim_threshold, -1)
    mallopt(m_mmap_max, 0)


def main():
    options = parse_arguments()
    if importlib.util.find_spec("torch") is None:
        print("python3-torch is not installed: nothing compared")
        return 0
    if not options.list and not pathlib.Path(options.library).is_file():
        stop(f"no library {options.library}; build the target kernelgen_c, or name it with --library")
    package = package_file(options.package)
    prepare_host(options.threads)

    import torch

    from torch_rows import Rows
    from torch_sweep import drawn_row, table

    torch.set_num_threads(options.threads)
    torch.manual_seed(7)
    on_cpu = options.device == "cpu"
    # PyTorch calls AMD's GPUs cuda too.
    device = torch.device(options.device.replace("hip", "cuda"))
    if options.sweep:
        numbers = options.repeat or range(options.rows)
        most_bytes = options.bytes or (1 << (12 if options.quick else 25 if on_cpu else 28))
        rows = (drawn_row(options.seed, number, device, most_bytes) for number in numbers)
        rows = [row for row in rows if re.search(options.filter, row.name)]
    else:
        rows = Rows(device, "quick" if options.quick else "cpu" if on_cpu else "gpu").matching(options.filter)
    if not rows:
        stop(f"no row's name has a match of '{options.filter}'; --list prints them")
    if options.list:
        print("\n".join(f"{row.name} {row.shape}" for row in rows))
        return 0

    if not on_cpu:
        if not torch.cuda.is_available():
            stop(f"PyTorch {torch.__version__} sees no GPU, so nothing can be compared on {options.device}")
        torch.cuda.set_device(device)
        torch.backends.cudnn.allow_tf32 = False
        torch.backends.cudnn.benchmark = True
    os.environ["KERNELGEN_LIBRARY"] = options.library
    sys.path.insert(0, str(ROOT / "bindings/python"))
    try:
        import kernelgen

        ours = kernelgen.Device(f"cpu:{options.threads}" if on_cpu else options.device,
                                None if package is None else kernelgen.Package(package))
    except ImportError as problem:
        stop(problem)
    except kernelgen.Error as problem:
        stop(problem)
    if options.profile:
        for row in rows:
            profile(row, kernelgen, ours, torch)
        return 0
    copied = 1 << 20 if options.quick else 1 << 27 if on_cpu else 1 << 28
    clock = CpuClock(copied) if on_cpu else GpuClock(copied, torch, device)
    floor = 0
    if options.sweep:
        clock.seconds /= 5
        floor = launch_time(clock, torch, device)
    where = f"{options.threads} CPU threads" if on_cpu else torch.cuda.get_device_name(device)
    print(f"kernel-gen {kernelgen.__version__}, PyTorch {torch.__version__}, {where}\n\n{HEADING}")
    reports, wrong = [], []
    for row in rows:
        try:
            reports.append(compare(row, kernelgen, ours, clock, options.quick, floor))
            print(line(reports[-1]), flush=True)
        except (Wrong, RuntimeError) as problem:
            place = "" if row.number is None else f"seed {options.seed}, row {row.number}: "
            wrong.append(f"{place}{row.name} {row.shape}: {problem}")
    if options.sweep and not options.quick:
        print(f"\nseed {options.seed}\n{table(reports)}")
    else:
        print(f"\n{summary(reports, options.quick)}")
    if options.json:
        report = {"device": options.device, "name": where, "threads": options.threads,
                  "kernelgen": kernelgen.__version__, "pytorch": torch.__version__, "quick": options.quick,
                  "seed": options.seed if options.sweep else None,
                  "rows": reports}
        pathlib.Path(options.json).write_text(json.dumps(report, indent=2) + "\n")
    for problem in wrong:
        print(f"compare_torch: error: {problem}", file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
