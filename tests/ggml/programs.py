"""ggml's programs: installed, or of Debian and unpacked by tools/ggml.sh."""

import shutil
from pathlib import Path


def find(name, prefix):
    """The command that starts a program of llama.cpp, or nothing."""
    unpacked = Path(prefix, "sid", "run")
    if prefix and unpacked.exists() and Path(prefix, "sid/usr/bin", name).exists():
        return [str(unpacked), name]
    installed = shutil.which(name)
    return [installed] if installed else []
