#!/usr/bin/env bash
# presets.sh FOLDER: CONTRIBUTING.md's table of presets has those of CMakePresets.json, and no other.
set -euo pipefail
cd "$1"
there=$(sed -n '/"configurePresets"/,/^  \],/s/^ *"name": "\([a-z]*\)",/\1/p' CMakePresets.json | grep -vx base | sort)
# shellcheck disable=SC2016
stated=$(sed -n '/^| preset /,/^$/s/^| `\([a-z]*\)` .*/\1/p' CONTRIBUTING.md | sort)
diff --label "presets" --label "presets in CONTRIBUTING.md" --unified <(echo "$there") <(echo "$stated")
