#!/bin/bash
# run_fuzzer.sh NAME FUZZER SECONDS: runs FUZZER on the corpus and the regressions of NAME and then, unless SECONDS is 0, lets libFuzzer make
# new inputs for so long. An input that fails is kept in Bazel's test.outputs and printed.
set -euo pipefail
name=$1 fuzzer=$2 seconds=$3
folder=tests/fuzz
corpus=$TEST_TMPDIR/corpus
outputs=$TEST_UNDECLARED_OUTPUTS_DIR

mkdir "$corpus"
tar --no-overwrite-dir --zstd -xf "$folder/corpus/$name.tar.zst" -C "$corpus"
shopt -s nullglob
regressions=("$folder/regressions/$name/"*)
((${#regressions[@]} == 0)) || cp -L "${regressions[@]}" "$corpus"
((seconds > 0)) || exec "$fuzzer" "$corpus"/*

source "$folder/options.sh"
options+=(-max_total_time="$seconds" -artifact_prefix="$outputs/")
for dictionary in "$folder/dictionaries/"*.dict; do options+=(-dict="$dictionary"); done
status=0
"$fuzzer" "${options[@]}" "$corpus" 2>"$outputs/log" || status=$?
tail -n 80 "$outputs/log"
for input in "$outputs/"{crash,leak,oom,timeout,slow-unit}-*; do
  echo "keep this input as tests/fuzz/regressions/$name/WHAT_IS_WRONG:"
  echo "base64 -d <<<$(base64 -w0 "$input" | head -c 20000)"
done
exit "$status"
