"""Text and HTML representations of tensors and packages."""

from __future__ import annotations

import html
from typing import TYPE_CHECKING, Any, Iterable, List, Optional, Sequence

if TYPE_CHECKING:
    from .tensor import Tensor

EDGE = 3  # elements of a long dim that are shown at each end
SHOWN = 64  # elements above which dims are shortened


def heading(tensor: Tensor) -> str:
    return f"{tensor.dtype} [{', '.join(map(str, tensor.shape))}] on {tensor.device.location}"


def _kept(tensor: Tensor) -> List[List[Optional[int]]]:
    """The indices along each dim that are shown; None stands for those left out."""
    if tensor.size <= SHOWN:
        return [list(range(extent)) for extent in tensor.shape]
    return [list(range(extent)) if extent <= 2 * EDGE + 1 else
            [*range(EDGE), None, *range(extent - EDGE, extent)] for extent in tensor.shape]


def _cells(tensor: Tensor, kept: List[List[Optional[int]]]) -> Any:
    """Texts of the elements that are shown, in nested lists. Quantized blocks are shown dequantized."""
    if not kept:
        value = tensor.item()
        return f"{value:.6g}" if isinstance(value, float) else str(value)
    if len(kept) == 1 and kept[0] and None not in kept[0]:
        return [f"{value:.6g}" if isinstance(value, float) else str(value) for value in tensor.tolist()]
    return ["…" if index is None else _cells(tensor[index], kept[1:]) for index in kept[0]]


def _readable(tensor: Tensor) -> Tensor:
    return tensor.to_dtype("f32") if tensor.dtype.is_quantized else tensor


def _lines(cells: Any, width: int, indent: int) -> str:
    if isinstance(cells, str):
        return cells.rjust(width) if cells != "…" else cells
    if all(isinstance(cell, str) for cell in cells):
        return "[" + ", ".join(_lines(cell, width, indent) for cell in cells) + "]"
    return "[" + (",\n" + " " * (indent + 1)).join(_lines(cell, width, indent + 1) for cell in cells) + "]"


def _width(cells: Any) -> int:
    return len(cells) if isinstance(cells, str) else max(map(_width, cells), default=0)


def tensor_text(tensor: Tensor) -> str:
    cells = _cells(_readable(tensor), _kept(tensor))
    return f"Tensor({heading(tensor)})\n{_lines(cells, _width(cells), 0)}"


def table(headings: Sequence[str], rows: Iterable[Iterable[object]]) -> str:
    """An HTML table; what is shown is escaped."""
    head = "".join(f"<th>{html.escape(each)}</th>" for each in headings)
    body = "".join("<tr>" + "".join(f"<td>{html.escape(str(cell))}</td>" for cell in row) + "</tr>" for row in rows)
    return f"<table>{f'<thead><tr>{head}</tr></thead>' if headings else ''}<tbody>{body}</tbody></table>"


def tensor_html(tensor: Tensor) -> str:
    title = f"<code>Tensor({html.escape(heading(tensor))})</code>"
    if tensor.ndim > 2:
        return f"{title}<pre>{html.escape(tensor_text(tensor).partition(chr(10))[2])}</pre>"
    cells = _cells(_readable(tensor), _kept(tensor))
    cells = [cells] if isinstance(cells, str) else cells
    rows = [[row] if isinstance(row, str) else row for row in cells] if tensor.ndim == 2 else [cells]
    return title + table([], rows)
