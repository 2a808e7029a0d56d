"""Operations compiled from manifests at run time."""

from __future__ import annotations

import json
import threading
from typing import Any, Dict, Mapping, Optional, Tuple, Union

from . import package
from ._call_all import call_all
from ._operands import ArrayLike, Device, DeviceLike, Dims, Number, Tensor, operand_list
from .operations import call, reduce_inputs
from .stream import Stream

Results = Union[Tensor, Tuple[Tensor, ...]]


def operation(manifest: Union[str, Mapping[str, Any]], *, name: str = "manifest.json",
              headers: Optional[Mapping[str, str]] = None, is_cached: bool = True) -> Operation:
    """An operation of your own, compiled at its first call on each device:

        cube = kernelgen.operation('{"op": "cube", "types": {"T": "F"}, "inputs": ["x: T"], "output": "T", "expr": "x * x * x"}')
        y = cube(x)

    `manifest` is the JSON of an operation in any form, or of a manifest with one, as a string or a dict. `name`, `headers` and
    `is_cached`, requirements and errors are those of Device.compile_manifest. A string that is not JSON raises
    json.JSONDecodeError, a ValueError."""
    text = manifest if isinstance(manifest, str) else json.dumps(manifest, indent=1)
    read = json.loads(text)
    if not isinstance(read, dict):
        raise ValueError(f"{name} is not the JSON of an operation: it has to be an object")
    if "op" in read and "operations" not in read:
        # On the line that it begins in, so that messages have the caller's lines.
        text = f'{{"module": {json.dumps(read["op"])}, "operations": [{text}]}}'
        rows = [read]
    else:
        rows = read.get("operations", [])
    if len(rows) != 1:
        raise ValueError(f"{name} has {len(rows)} operations; operation() takes one, Device.compile_manifest any number")
    return Operation(text, name, dict(headers or {}), is_cached)


class Operation:
    """An operation of operation(). Threads may call it at the same time."""

    def __init__(self, manifest: str, name: str, headers: Dict[str, str], is_cached: bool) -> None:
        self._arguments = (manifest, name, headers, is_cached)
        self._lock = threading.Lock()
        self._compiled: Dict[int, Tuple[str, package.Operation]] = {}  # by the device's id

    def on(self, device: DeviceLike) -> str:
        """Compiles it for the device, once; returns its name for kernelgen.call on that device."""
        return self._on(Device.of(device))[0]

    def _on(self, device: Device) -> Tuple[str, package.Operation]:
        found = self._compiled.get(device.id)
        if found is None:
            with self._lock:
                found = self._compiled.get(device.id)
                if found is None:
                    made, number = device.compile_manifest(*self._arguments)
                    row = made.operations[0]
                    found = self._compiled[device.id] = (f"{row.name}@{number}", row)
        return found

    def __call__(self, *operands: ArrayLike, dims: Dims = None, keep_dims: bool = False, out: Optional[ArrayLike] = None,
                 stream: Optional[Stream] = None, **scalars: Number) -> Results:
        """Calls it with its inputs, then its scalars, the last of which may be given by name. `dims` and `keep_dims` are for
        reductions. Several results are returned as a tuple."""
        first: Any = next((each for each in operands if isinstance(each, Tensor)), None)
        if first is None:
            first = operand_list(operands[:1]).tensors[0]
        name, row = self._on(first.device)
        count = len(row.inputs)
        inputs, numbers = operands[:count], list(operands[count:])
        for each in row.scalars[len(numbers):]:
            if each not in scalars:
                raise TypeError(f"{row.name} needs {each}: it takes {', '.join((*row.inputs, *row.scalars))}")
            numbers.append(scalars.pop(each))
        if scalars:
            raise TypeError(f"{row.name} has no {', '.join(scalars)}: it takes {', '.join((*row.inputs, *row.scalars))}")
        if row.kind == "reduce":
            return reduce_inputs(name, inputs, dims, keep_dims, numbers, out=out, stream=stream)
        if dims is not None or keep_dims:
            raise TypeError(f"{row.name} takes no dims: it is not a reduction")
        if row.kind != "body" or out is not None:
            return call(name, inputs, numbers, out=out, stream=stream)
        results = call_all(name, inputs, numbers, stream=stream)
        return results[0] if len(results) == 1 else results

    def __repr__(self) -> str:
        return f"<kernelgen.Operation of {self._arguments[1]}, compiled for {len(self._compiled)} devices>"
