#!/usr/bin/env bash
# run.sh PYTHON FOLDER: the folder's tests by pytest; exits with 77 where it or NumPy is not installed.
set -euo pipefail
for module in pytest numpy; do
  "$1" -c "import $module" 2>/dev/null || { echo "skipped: $1 has no $module"; exit 77; }
done
exec "$1" -B -m pytest -q -p no:cacheprovider "$2"
