"""The package has no untyped parts."""

import os
import pathlib
import shutil
import subprocess
import sys

import pytest

import kernelgen as kg


def test_mypy_strict(tmp_path):
    mypy = shutil.which("mypy")
    if mypy is None:
        pytest.skip("mypy is not installed")
    package = pathlib.Path(kg.__file__).parent
    assert (package / "py.typed").is_file()
    program = tmp_path / "program.py"
    program.write_text("import kernelgen as kg\n"
                       "x: kg.Tensor = kg.tensor([1.0], kg.f32).softmax().sum(0)\n"
                       "both: tuple[kg.Tensor, kg.Tensor] = kg.attention(x, x, x, return_log_sum_exp=True)\n")
    checked = subprocess.run([mypy, "--strict", "--cache-dir", str(tmp_path / "cache"), "--python-executable", sys.executable,
                              str(package), str(program)], text=True, capture_output=True, check=False,
                             env={**os.environ, "MYPYPATH": str(package.parent)}, cwd=tmp_path)
    assert checked.returncode == 0, checked.stdout + checked.stderr
