#!/bin/bash
# The program modelport and the libraries that lie beside it need no other library than each other, glibc and GCC's runtime, and no symbol that
# glibc 2.34 or GCC 11 lacks.
set -euo pipefail

readonly -A newest=([GLIBC]=2.34 [GLIBCXX]=3.4.29 [CXXABI]=1.3.13 [GCC]=7.0.0)
readonly system=" ld-linux-x86-64.so.2 libc.so.6 libdl.so.2 libgcc_s.so.1 libm.so.6 libpthread.so.0 librt.so.1 libstdc++.so.6 "
failures=0

fail() {
  echo "$*"
  failures=$((failures + 1))
}

names=" "
for file in "$@"; do names+="$(basename "$file") "; done
[[ $names == *" libtorch_cpu.so "* && $names == *" modelport "* ]] || fail "wants modelport and LibTorch, has$names"

for file in "$@"; do
  needed=$(readelf --dynamic --wide "$file" | sed -nE 's/.*\(NEEDED\).*\[(.*)\]/\1/p')
  [[ $needed == *libc.so.6* ]] || fail "$file: readelf finds no libraries that it needs"
  for library in $needed; do
    [[ $names$system == *" $library "* ]] || fail "$file: needs $library, which is neither in the archive nor in every system"
  done
  # The lines of what it needs are "... Name: GLIBC_2.34  Flags: ...".
  while IFS=_ read -r set version; do
    [[ -v newest[$set] ]] || continue
    if [[ $(printf '%s\n' "$version" "${newest[$set]}" | sort --version-sort | tail -n 1) != "${newest[$set]}" ]]; then
      fail "$file: needs ${set}_$version, wants at most ${set}_${newest[$set]}; release/old_symbols.cc can take an older version. Its symbols:"
      readelf --dyn-syms --wide "$file" | grep -F "@${set}_$version" || true
    fi
  done < <(readelf --version-info --wide "$file" | sed -nE 's/.*Name: ([A-Z]+_[0-9.]+)  Flags.*/\1/p')
done
((failures == 0))
