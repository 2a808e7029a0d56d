#!/usr/bin/env bash
# wheel.sh PYTHON SOURCE LIBRARY: a wheel of the library is installed where nothing else is, and used from there. Exits with
# 77 where this Python has no pip.
set -euo pipefail
python=$1 source=$2 library=$3
"$python" -m pip --version >/dev/null 2>&1 || { echo "skipped: $python has no pip"; exit 77; }
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"
unset KERNELGEN_LIBRARY PYTHONPATH

"$python" -B "$source/bindings/python/build_wheel.py" --library "$library" --out first
"$python" -B "$source/bindings/python/build_wheel.py" --library "$library" --out second
cmp first/*.whl second/*.whl
"$python" -m pip install --quiet --no-index --no-deps --target site first/*.whl
PYTHONPATH=site "$python" - <<'END'
import pathlib
import kernelgen
assert pathlib.Path(kernelgen.__file__).parts[-3] == "site", kernelgen.__file__
assert kernelgen.tensor([1.0, 2.0]).tolist() == [1, 2]
assert (kernelgen.tensor([1.0, 2.0]) + 1).tolist() == [2, 3]
print("kernelgen", kernelgen.__version__, "from", kernelgen.__file__)
END
if "$python" -B "$source/bindings/python/build_wheel.py" --library "$source/README.md" --out third 2>error; then
  echo "a page became a wheel"
  exit 1
fi
grep -q 'README.md is not a shared library' error
