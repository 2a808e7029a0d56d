#!/usr/bin/env bash
# Runs shellcheck over the scripts of the tree; exits with 77 where it is not installed.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
command -v shellcheck >/dev/null || { echo "skipped: no shellcheck on PATH"; exit 77; }
find .ci bench examples tests tools \( -name '*.sh' -o -path .ci/run \) -print0 | xargs -0 shellcheck --external-sources
