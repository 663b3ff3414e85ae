#!/bin/bash
# The program modelport as a user meets it: modelport_test.sh VERSION.
set -euo pipefail
version=$1
data=$PWD
modelport=$data/release/modelport
commands="convert diff export inspect lint list new_plugin package parity predict sign verify completion man"
cd "$TEST_TMPDIR"
failures=0

# expect WHAT PATTERN TEXT
expect() {
  # shellcheck disable=SC2053  # The pattern is one.
  [[ $3 == $2 ]] && return
  printf '%s\n  wants: %s\n  has:   %s\n' "$1" "$2" "$3"
  failures=$((failures + 1))
}

expect "the version is that of the archive's name" "Modelport $version" "$("$modelport" --version)"
expect "help lists all commands" "$commands" "$("$modelport" help | sed -nE 's/^  ([a-z_]+) .*/\1/p' | paste -sd ' ')"
for command in $commands; do
  expect "help of $command" "*Usage: modelport $command *" "$("$modelport" help "$command")"
done
expect "help names no Bazel target" "" "$(for command in $commands; do "$modelport" help "$command" | grep -F //tools: || true; done)"
expect "each command has its own flags" "0" "$("$modelport" help lint | grep -c -- --checkpoint || true)"

"$modelport" export --model=dav2_vits --weights=seeded --out=m.pt >summary
expect "an export is proven" "*239 tensors bitwise equal*" "$(<summary)"
expect "a Nuke that loads no such file" "*findings*" "$("$modelport" lint m.pt --nuke=13 2>/dev/null || true)"
status=0
"$modelport" export 2>err || status=$?
expect "a failure is 1" 1 $status
expect "the cure is a command of modelport" "INVALID_ARGUMENT: --model is missing: modelport list shows the models*" "$(<err)"

# As in the folder of a release, whose plugins are in share/.
mkdir -p opt/bin opt/share/modelport
cp -L "$modelport" opt/bin
cp -rL "$data/models" "$data/targets" opt/share/modelport
libraries=$(find -L "$data" -name libtorch_cpu.so -printf '%h\n' -quit)
expect "a release has the same catalog" "$("$modelport" list)" "$(PATH=$PWD/opt/bin:$PATH LD_LIBRARY_PATH=$libraries modelport list)"
LD_LIBRARY_PATH=$libraries opt/bin/modelport export --model=demo_depth --out=demo.pt >summary 2>/dev/null
expect "a release has the weights of demo_depth" "*source * sha256:*" "$(<summary)"
rm -r opt/share
LD_LIBRARY_PATH=$libraries opt/bin/modelport list 2>err || status=$?
expect "a program without its plugins is an error that names their folder" "NOT_FOUND: *$PWD/opt/share/modelport*" "$(<err)"

# complete WORD...: what bash completes the last word to.
complete_words() {
  COMP_WORDS=(modelport "$@") COMP_CWORD=$#
  compopt() { :; }
  _modelport
  echo "${COMPREPLY[*]-}"
}
# shellcheck source=/dev/null
source <("$modelport" completion bash)
expect "bash completes commands" "lint list" "$(complete_words li)"
expect "bash completes flags" "--nuke=" "$(complete_words lint --nu)"
expect "bash completes what help explains" "package parity" "$(complete_words help pa)"
expect "bash completes files" "" "$(complete_words lint m)"
expect "bash completes switches" "--noverify" "$(complete_words export --nov)"

((failures == 0))
