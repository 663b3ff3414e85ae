#!/bin/bash
# Packs a wheel: pack_wheel.sh LIST RECORD ZIPPER OUT. Each line of LIST is a path in the wheel, a tab and the path of the file. RECORD is the path
# in the wheel of its table of contents, and ZIPPER Bazel's program, which gives every file the same time. Files in bin/ are executable.
set -euo pipefail
list=$1 record=$2 zipper=$3 out=$4

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
members=()
while IFS=$'\t' read -r path file; do
  mode=644
  if [[ $path == */bin/* ]]; then mode=755; fi
  install -D --mode="$mode" "$file" "$scratch/$path"
  hash=$(sha256sum "$file" | cut --characters=1-64 | tr a-f A-F | basenc --decode --base16 | basenc --base64url --wrap=0)
  echo "$path,sha256=${hash%%=*},$(stat --dereference --format=%s "$file")" >>"$scratch/record"
  members+=("$path=$scratch/$path")
done <"$list"
echo "$record,," >>"$scratch/record"
chmod 644 "$scratch/record"
"$zipper" cC "$out" "${members[@]}" "$record=$scratch/record"
