#!/bin/bash
# Packs files into a .tar.zst: pack_archive.sh LIST ROOT OUT. Each line of LIST is a path in the archive, below its folder ROOT, a tab and the
# path of the file. The bytes of OUT follow from the paths in the archive and the files' bytes alone. Files in bin/ are executable.
set -euo pipefail
umask 022
list=$1 root=$2 out=$3

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
while IFS=$'\t' read -r path file; do
  mode=644
  if [[ $path == bin/* ]]; then mode=755; fi
  install -D --mode="$mode" "$file" "$scratch/$root/$path"
done <"$list"
tar --create --directory="$scratch" --format=gnu --sort=name --mtime=@0 --owner=0 --group=0 --numeric-owner --mode=go-w "$root" |
  zstd --quiet -12 --single-thread >"$out"
