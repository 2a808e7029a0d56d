#!/usr/bin/env bash
# Prints bench/results/hip_binaries.md: what the tool makes of Debian's libraries with code for AMD GPUs, and of two programs.
# usage: hip_binaries.sh KERNEL-GEN SIMULATED-HIP WORK
# Debian's packages are downloaded into WORK and unpacked there, with a separate apt configuration; nothing is installed. For the
# two programs and SIMULATED-HIP see hip_binaries_run.sh. roc-obj-ls comes with hipcc, llvm-objdump-19 with llvm-19.
set -euo pipefail
here=$(dirname "$(readlink -f "$0")")
tool=$(readlink -f "$1") simulated=$(readlink -f "$2")
mkdir -p "$3"
work=$(readlink -f "$3")
gpu=gfx1100 lib=usr/lib/x86_64-linux-gnu

# Unpacks packages of Debian sid into a folder.
unpack() {
  local folder=$1 package
  shift
  mkdir -p "$folder"
  for package in "$@"; do
    (cd "$work" && apt-get -qq download "$package" && dpkg-deb -x "$package"_*.deb "$folder" && rm "$package"_*.deb)
  done
}

fetch() {
  local apt="$work/apt"
  mkdir -p "$apt"/{lists/partial,cache/archives/partial,state}
  touch "$apt/state/status"
  echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] http://deb.debian.org/debian sid main" >"$apt/sources.list"
  cat >"$apt/apt.conf" <<END
Dir::State "$apt/state";
Dir::State::lists "$apt/lists";
Dir::State::status "$apt/state/status";
Dir::Cache "$apt/cache";
Dir::Etc::sourcelist "$apt/sources.list";
Dir::Etc::sourceparts "-";
END
  export APT_CONFIG="$apt/apt.conf"
  apt-get -qq update
  unpack "$work/debian" libggml0-backend-hip libggml0 librocblas4 libhipblas2 libroctx64-4 librocfft0 librccl1 libmiopen1 \
    libc6 libgcc-s1 libstdc++6 libgomp1
  unset APT_CONFIG
}

[[ -d $work/debian ]] || fetch
"$here/hip_binaries_run.sh" "$tool" "$simulated" "$work" "$work/debian" >"$work/runs.md" 2>"$work/runs.err"

names=("program of hipcc 5.2" "program of clang 19, --offload-compress" librocfft.so librccl.so libggml-hip.so librocblas.so rocblas/)
files=()
for file in hipcc/program offload-compress/program "debian/$lib/librocfft.so.0" "debian/$lib/librccl.so.1" \
  "debian/$lib/ggml/backends0/libggml-hip.so" "debian/$lib/librocblas.so.4" "debian/$lib/rocblas"; do
  files+=("$(readlink -f "$work/$file")")
done

bytes() { du -sb --apparent-size "$1" | cut -f 1; }

# Seconds of the processor and resident MiB of a command, whose output goes to WORK/output; its exit code where that is not 0. At most
# five minutes.
measured() {
  local status=0
  /usr/bin/time -q -f '%U %S %M' -o "$work/time" timeout 300 "$@" >"$work/output" 2>"$work/errors" || status=$?
  awk -v status=$status '{printf "%.2f | %d", $1 + $2, $3 / 1024} END {if (status) printf status == 124 ? " (stopped after 300 s)" : " (exit code %d)", status}' "$work/time"
}
seconds() { measured "$@" | sed 's/ | [0-9]*//'; }

# Bytes of what a command writes to WORK/out; its seconds are kept in WORK/seconds.COLUMN.
written() {
  local column=$1
  shift
  rm -rf "$work"/out "$work/out.kgpkg"
  seconds "$@" >"$work/seconds.$column"
  if [[ -e $work/out.kgpkg ]]; then
    bytes "$work/out.kgpkg"
  elif [[ -e $work/out ]]; then
    bytes "$work/out"
  else
    echo "refused"
  fi
}
spent() { cat "$work/seconds.$1"; }

# A file's own target, where it has none of the GPU that the others keep.
kept() {
  "$tool" ls "$1" --json >"$work/list"
  if grep -q "\"$gpu\"" "$work/list"; then echo $gpu; else echo gfx1030; fi
}

cat <<END
# HIP binaries of Debian

Printed by \`bench/hip_binaries.sh\` on $(date +%Y-%m-%d). Sizes in bytes; seconds of the processor; MiB resident. The GPU that is
kept is $gpu; gfx1030 of the programs, which hipcc 5.2 and its device library do not build for $gpu. libMIOpen.so of Debian
holds no code objects, and Debian has no package of MIOpen's kernel databases or of hipBLASLt.

## Sizes

The package is that of \`import --binary --kernels '*'\` with the code for the GPU that is kept, whose blobs are compressed at zstd's
level 19; files without kernels are refused.

| file | bytes | GPUs | code objects | kernels | \`ls\`: s | MiB | \`--keep --compress\` | \`--keep\` | package |
|---|---|---|---|---|---|---|---|---|---|
END
commands=()
for i in "${!files[@]}"; do
  file=${files[i]} target=$(kept "${files[i]}") shrink=prune
  [[ ! -d $file ]] || shrink=repack
  listed=$(measured "$tool" ls "$file" --json)
  counts=$(python3 - "$work/output" <<'END'
import json, sys
codes = json.load(open(sys.argv[1]))["code_objects"]
print(len({code["target"] for code in codes}), "|", len(codes), "|", sum(code["kernels"] for code in codes))
END
  )
  row="| ${names[i]} | $(bytes "$file") | $counts | $listed"
  row+=" | $(written compress "$tool" $shrink "$file" --keep "$target" --compress --out "$work/out")"
  row+=" | $(written keep "$tool" $shrink "$file" --keep "$target" --out "$work/out")"
  row+=" | $(written import "$tool" import --binary "$file" --kernels '*' --target "$target" --out "$work/out.kgpkg") |"
  echo "$row"

  row="| ${names[i]} | $(seconds "$tool" inspect "$file" --target "$target" --json)"
  read -r kernel module < <(python3 - "$work/output" <<'END'
import json, sys
print(next((kernel["name"] + " " + code["module"] for code in json.load(open(sys.argv[1])) for kernel in code["kernels"]), ""))
END
  )
  if [[ -n $kernel ]]; then row+=" | $(seconds "$tool" disasm "$file" "$kernel" --target "$target" --from "$module")"; else row+=" | no kernels"; fi
  row+=" | $(seconds "$tool" report "$file" --out "$work/report.html")"
  row+=" | $(seconds "$tool" diff "$file" "$file" --target "$target")"
  rm -rf "$work/code"
  row+=" | $(seconds "$tool" extract "$file" --target "$target" --out "$work/code")"
  row+=" | $(seconds "$tool" verify "$file") | $(seconds "$tool" doctor "$file") | $(seconds "$tool" doctor "$file" --target "$target")"
  commands+=("$row | $(spent keep) | $(spent compress) | $(spent import) |")
done

cat <<END

## Commands

Seconds of each, for the target that is kept where a command takes one; \`report\` disassembles the code of all. Folders are given to
\`repack\` instead of \`prune\`.

| file | inspect | disasm | report | diff | extract | verify | doctor | doctor --target | prune | prune --compress | import --binary |
|---|---|---|---|---|---|---|---|---|---|---|---|
END
printf '%s\n' "${commands[@]}"

cat <<END

## Other tools

Code objects that each lists; of roc-obj-ls (hipcc 5.2) without the hosts' empty entries. llvm-objdump 19 reads another format
of clang, \`.llvm.offloading\`, and finds nothing here. rocm-kpack on PyPI (0.0.1.dev0) is an empty package.

| file | \`kernel-gen ls\` | roc-obj-ls: code objects | s | MiB | llvm-objdump --offloading: code objects |
|---|---|---|---|---|---|
END
for i in "${!files[@]}"; do
  file=${files[i]}
  [[ -f $file ]] || continue
  ours=$("$tool" ls "$file" --json | grep -c '"target"')
  used=$(measured roc-obj-ls "$file")
  theirs=$(grep -c amdgcn "$work/output" || true)
  llvm-objdump-19 --offloading "$file" >"$work/output" 2>"$work/errors" || true
  echo "| ${names[i]} | $ours | $theirs | $used | $(grep -c 'OFFLOADING IMAGE' "$work/output" || true) |"
done

cat <<END

## Runs

Each file, and what is left of it after \`prune --keep gfx90a\`, \`prune --keep gfx90a --compress\` and \`repack --keep gfx90a\`, on two
simulated GPUs: programs that compare what their kernels compute with the host, and ggml's test-backend-ops.

END
cat "$work/runs.md"
