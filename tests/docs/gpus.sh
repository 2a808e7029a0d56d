#!/usr/bin/env bash
# gpus.sh FOLDER: code that names AMD GPUs, apart from manifests/, is in the files that docs/adding-a-gpu.md lists.
set -euo pipefail
cd "$1"
# Names of GPUs in code: macros, and whole strings that a program compares; comments and messages may have examples.
naming=$(grep -rlE '__(gfx|GFX)[0-9]|(==|!=|starts_with\() *"gfx[0-9]' --include='*.hpp' --include='*.cpp' --include='*.h' kernels runtime tools/kernel-gen |
  sort)
# shellcheck disable=SC2016
listed=$(sed -n '/^| file that names GPUs /,/^$/s/^| `\([a-z_/-]*\.[a-z]*\)` .*/\1/p' docs/adding-a-gpu.md | sort)
diff --label "files that name GPUs" --label "files in docs/adding-a-gpu.md" --unified <(echo "$naming") <(echo "$listed")
