"""What compare_torch.py compares: the cases of cases.json, each kernel-gen's operation and PyTorch's on the same tensors.

PyTorch writes to an existing tensor wherever it has a function for that without a copy;
kernel-gen always does.
"""

import json
import pathlib
import re
from dataclasses import dataclass
from typing import Callable, Optional

import torch

from torch_functions import DTYPES, FUNCTIONS, Parameters, indexed_problem

CASES = pathlib.Path(__file__).resolve().parent / "cases.json"
# Of one rounding and a few operations in f32.
TOLERANCE = {torch.float32: 1e-5, torch.float16: 1e-3, torch.bfloat16: 8e-3}


@dataclass
class Case:
    """A row's calls with their tensors: kernel-gen's function with its arguments, and PyTorch's as one of none."""

    operation: str
    arguments: list
    named: dict
    theirs: Callable[[], object]
    problem: Callable[[], Optional[str]]  # what is wrong with kernel-gen's result, after one call
    bytes: int  # each input read once, each output written once
    flops: int = 0


@dataclass
class Row:
    name: str
    shape: str
    prepare: Callable[[], Case]
    note: str = ""  # how the two sides differ
    number: Optional[int] = None  # of a row that was drawn


class Extents:
    """The dims of a case with a size for each, and what is computed from them: "2*m*k*n", "d/2"."""

    def __init__(self, dims, values):
        self._values = dict(zip(dims, values))

    def __call__(self, text):
        signs, words = ["*", *re.findall("[*/]", text)], re.split("[*/]", text)
        product = 1
        for sign, word in zip(signs, words):
            value = self._values[word] if word in self._values else int(word)
            product = product * value if sign == "*" else product // value
        return product

    def shape(self, texts):
        return [self(text) for text in texts]


def size_in_bytes(tensor):
    return tensor.numel() * tensor.element_size()


def widened(tensor):
    """In the type whose result the others are judged by at first: f64 costs too much on a GPU."""
    if not tensor.is_floating_point():
        return tensor
    return tensor.float() if tensor.is_cuda else tensor.double()


def widest(tensor):
    """In f64. PyTorch's own f32 loses digits where a variance is next to nothing."""
    return tensor.double() if tensor.is_floating_point() else tensor


def difference(got, wanted, tolerance, terms=1):
    """Where `got` is too far from `wanted`, in words; None where it is not."""
    if got.shape != wanted.shape:
        return f"shape {list(got.shape)}, PyTorch's is {list(wanted.shape)}"
    got, wanted = got.float(), wanted.float()
    right = torch.isclose(got, wanted, rtol=tolerance, atol=tolerance * terms**0.5, equal_nan=True)
    if right.all():
        return None
    at = int(torch.argmin(right.flatten().to(torch.uint8)))
    return (f"{int((~right).sum())} of {got.numel()} elements differ; "
            f"element {at} is {got.flatten()[at]:.9g}, PyTorch's {wanted.flatten()[at]:.9g}")


def own(function, inputs):
    """Inputs that a call may change."""
    return [inputs[0].clone(), *inputs[1:]] if function.in_place else inputs


def prepare(operation, inputs, parameters, dtype, device, terms=1, flops=0, unread=()):
    """The Case of one operation on these inputs. `unread` are those, by their places, of which no byte is read."""
    function = FUNCTIONS[operation]

    # PyTorch lacks the narrow floats here and there.
    def results(widen):
        wanted = function.call(*map(widen, own(function, inputs)), p=parameters, device=device)
        return wanted if isinstance(wanted, tuple) else (wanted,)

    wanted = results(widened)
    if function.in_place:
        ours, theirs = [inputs[0]], inputs[0].clone()
    elif function.with_indices:
        ours = [torch.empty(wanted[0].shape, dtype=of, device=device) for of in (dtype, torch.int32)]
        theirs = ours[0].clone(), ours[1].long()
    else:
        result = function.result(dtype, parameters)
        ours = [torch.empty(each.shape, dtype=result, device=device) for each in wanted]
        theirs = torch.empty(wanted[0].shape, dtype=function.theirs or result, device=device)
    read = sum(size_in_bytes(tensor) for k, tensor in enumerate(inputs) if k not in unread)
    arguments, named = function.arguments(inputs, ours, parameters)

    def problem():
        if function.problem:
            return function.problem(inputs, ours[0], parameters)
        if function.with_indices:
            return indexed_problem(inputs, *ours, wanted[0], parameters)

        def found(wanted):
            texts = (difference(got, each, TOLERANCE[got.dtype], terms) for got, each in zip(ours, wanted))
            return next((text for text in texts if text), None)

        return found(wanted) and (found(wanted) if function.in_place else found(results(widest)))

    def call():
        if function.in_place:
            return function.into(theirs, *inputs[1:], p=parameters)
        if function.into:
            return function.into(*inputs, theirs, p=parameters)
        return function.call(*inputs, p=parameters, device=device)

    return Case(function.name or operation, arguments, named, call, problem,
                bytes=read + sum(map(size_in_bytes, ours)), flops=flops)


class Rows:
    """The rows for one device. `scale` is "gpu", "cpu" or "quick"."""

    def __init__(self, device, scale, cases=CASES):
        self.device = device
        self.rows = []
        listed = json.loads(pathlib.Path(cases).read_text(encoding="utf-8"))
        for case in listed["cases"]:
            if case.get("only", "compare_torch") == "compare_torch":
                sizes = listed["sizes"][case["sizes"]]
                for values in sizes[scale]:
                    self._add(case, Extents(sizes["dims"], values), values)

    def matching(self, pattern):
        """The rows whose name has a match of the regular expression."""
        return [row for row in self.rows if re.search(pattern, row.name)]

    def _add(self, case, extents, values):
        note = FUNCTIONS[case["operation"]].note
        for short in case["dtypes"]:
            if short in DTYPES:
                self.rows.append(Row(case["name"].replace("{dtype}", short), str(list(values)),
                                     lambda short=short: self._prepare(case, DTYPES[short], extents), note))

    def _input(self, given, dtype, extents):
        shape = extents.shape(given["shape"])
        if "dtype" in given:
            # PyTorch's indices are i64.
            dtype = torch.int64 if given["dtype"] == "u32" else DTYPES[given["dtype"]]
        if "below" in given:
            tensor = torch.randint(extents(given["below"]), shape, device=self.device).to(dtype)
        else:
            low, high = given.get("range", (-2, 2))
            tensor = torch.empty(shape, device=self.device).uniform_(low, high).to(dtype)
        return tensor.transpose(*given["transposed"]) if "transposed" in given else tensor

    def _prepare(self, case, dtype, extents):
        inputs = [self._input(given, dtype, extents) for given in case["inputs"]]
        return prepare(case["operation"], inputs, Parameters(case.get("parameters", {}), dtype, extents), dtype,
                       self.device, terms=extents(case.get("terms", "1")), flops=extents(case.get("flops", "0")),
                       unread=[k for k, given in enumerate(case["inputs"]) if given.get("overwritten")])
