#!/bin/bash
# Runs bazelw on a repository of its own, where the PATH holds nothing but stubs that write their calls to a log.
# shellcheck disable=SC2016,SC2086,SC2317  # Stubs expand their own variables; compgen finds the tests.
set -euo pipefail

readonly bazelw=$PWD/bazelw tools_bazel=$PWD/tools/bazel module_file=$PWD/MODULE.bazel
readonly scratch=$TEST_TMPDIR
failures=0

# Makes an empty machine: the repository $repo, the commands in $bin, nothing installed yet.
new_machine() {
  rm -rf "$scratch/machine"
  repo=$scratch/machine/repo bin=$scratch/machine/bin log=$scratch/machine/log installed=$scratch/machine/installed
  mkdir -p "$repo/third_party" "$repo/sub" "$bin"
  cp -L "$bazelw" "$repo/bazelw"
  echo 4.2.3 >"$repo/.bazelversion"
  printf '# A comment.\n\nlibfoo-dev 1.0-2\ng++ 4:12.2.0-3\n' >"$repo/third_party/debian.lock"
  : >"$log"
  : >"$installed"
  local tool
  for tool in bash cat dirname env grep mktemp readlink rm; do ln -s "$(command -v $tool)" "$bin/$tool"; done
  stub bazel 'echo "bazel in $PWD, user in ${MODELPORT_WORKING_DIRECTORY:-}"; printf "<%s>" "$@"; echo' '>>$LOG'
  stub id 'echo 0'
  stub dpkg-query 'cat $INSTALLED'
  stub apt-get 'echo "apt-get $*"; [ $1 = update ] || printf "installed %s\n" "libfoo-dev 1.0-2" "g++ 4:12.2.0-3" >$INSTALLED' '>>$LOG'
}

# stub NAME BODY [REDIRECTION]: a command whose body sees $LOG and $INSTALLED.
stub() {
  printf '#!/bin/bash\nLOG=%s INSTALLED=%s\n{ %s\n} %s\n' "$log" "$installed" "$2" "${3:-}" >"$bin/$1"
  chmod +x "$bin/$1"
}

# bazelw ARGUMENTS, called in the folder $from; sets $status, $out and $err.
run_bazelw() {
  status=0
  (cd "${from:-$repo}" && PATH=$bin "$repo/bazelw" "$@") >"$scratch/out" 2>"$scratch/err" || status=$?
  out=$(<"$scratch/out") err=$(<"$scratch/err")
}

expect() {  # expect WHAT ACTUAL PATTERN
  # shellcheck disable=SC2053  # The right side is a pattern.
  [[ $2 == $3 ]] && return
  printf '%s: %s\n  wants: %s\n  has:   %s\n' "${FUNCNAME[1]}" "$1" "$3" "$2"
  failures=$((failures + 1))
}

test_nothing_missing_hands_over_quietly() {
  new_machine
  printf 'installed g++ 4:12.2.0-3\ninstalled libfoo-dev 1.0-2\n' >"$installed"
  run_bazelw run //tools:list -- '--a b'
  expect status $status 0
  expect stderr "$err" ''
  expect calls "$(<"$log")" "bazel in $repo, user in "$'\n''<run><//tools:list><--><--a b>'
}

test_missing_packages_are_installed_and_no_others() {
  new_machine
  printf 'installed g++ 4:12.2.0-3\nconfig-files libfoo-dev 1.0-2\n' >"$installed"
  run_bazelw version
  expect status $status 0
  expect stdout "$out" ''
  expect stderr "$err" '*1 of the packages*missing:*  libfoo-dev*installing them with apt-get, which takes a minute or two'
  expect calls "$(<"$log")" \
    'apt-get update*apt-get install *--no-install-recommends libfoo-dev'$'\n''bazel in *<version>'
}

test_all_are_installed_on_a_bare_machine() {
  new_machine
  run_bazelw version
  expect status $status 0
  expect calls "$(<"$log")" 'apt-get update*apt-get install *--no-install-recommends libfoo-dev g++'$'\n''bazel*'
}

test_no_install_lists_and_stops() {
  new_machine
  MODELPORT_NO_INSTALL=1 run_bazelw version
  expect status $status 1
  expect stderr "$err" '*2 of the packages*  libfoo-dev g++*nothing installed*'
  expect calls "$(<"$log")" ''
}

test_fuzzing_wants_clang() {
  new_machine
  run_bazelw test --config=fuzz //...
  expect status $status 1
  expect stderr "$err" '*--config=fuzz compiles with clang 19, which is not here: apt-get install clang-19 llvm-19'
  stub clang-19 ''
  run_bazelw test --config=fuzz //...
  expect status $status 0
}

test_no_install_does_not_matter_when_nothing_is_missing() {
  new_machine
  printf 'installed g++ 4:12.2.0-3\ninstalled libfoo-dev 1.0-2\n' >"$installed"
  MODELPORT_NO_INSTALL=1 run_bazelw version
  expect status $status 0
  expect calls "$(<"$log")" '*<version>'
}

test_another_version_is_said_and_used() {
  new_machine
  printf 'installed g++ 4:12.2.0-3\ninstalled libfoo-dev 1.0-3\n' >"$installed"
  run_bazelw version
  expect status $status 0
  expect stderr "$err" 'bazelw: libfoo-dev: third_party/debian.lock has 1.0-2, installed is 1.0-3'
  expect calls "$(<"$log")" '*<version>'
}

test_sudo_is_used_when_not_root() {
  new_machine
  stub id 'echo 1000'
  stub sudo 'echo -n "sudo " >>$LOG; exec "$@"'
  run_bazelw version
  expect status $status 0
  expect calls "$(<"$log")" 'sudo apt-get update*sudo apt-get install*bazel*'
}

test_neither_root_nor_sudo_says_what_root_must_do() {
  new_machine
  stub id 'echo 1000'
  run_bazelw version
  expect status $status 1
  expect stderr "$err" '*as root: apt-get install --no-install-recommends libfoo-dev g++'
  expect calls "$(<"$log")" ''
}

test_a_failed_install_stops() {
  new_machine
  stub apt-get 'echo "E: no $1 today"; exit 100'
  run_bazelw version
  expect status $status 1
  expect stderr "$err" '*E: no update today*E: no install today*apt-get could not install them*Debian 12'
  expect calls "$(<"$log")" ''
}

test_another_system_gets_a_clear_message() {
  new_machine
  rm "$bin/dpkg-query"
  run_bazelw version
  expect status $status 1
  expect stderr "$err" 'bazelw: no dpkg-query here: *Debian 12*Bazel 4.2.3*'
  expect calls "$(<"$log")" ''
}

test_inside_the_repository_bazel_starts_where_the_user_is() {
  new_machine
  printf 'installed g++ 4:12.2.0-3\ninstalled libfoo-dev 1.0-2\n' >"$installed"
  from=$repo/sub run_bazelw version
  expect calls "$(<"$log")" "bazel in $repo/sub, user in "$'\n*'
}

test_bazel_4_comes_before_another_bazel() {
  new_machine
  printf 'installed g++ 4:12.2.0-3\ninstalled libfoo-dev 1.0-2\n' >"$installed"
  stub bazel-4 'echo "bazel-4 in $PWD"; printf "<%s>" "$@"; echo' '>>$LOG'
  run_bazelw version
  expect calls "$(<"$log")" "bazel-4 in $repo"$'\n''<version>'
}

# The script that the launchers of Debian and of bazelisk start.
run_tools_bazel() {
  status=0
  (PATH=$bin BAZEL_REAL=$bin/bazel "$tools_bazel" "$@") >"$scratch/out" 2>"$scratch/err" || status=$?
  out=$(<"$scratch/out") err=$(<"$scratch/err")
}

test_a_newer_bazel_says_what_to_type() {
  new_machine
  local version
  for version in 5.0.0 8.1.0 9.0.0-pre 10.0.0; do
    stub bazel "echo 'bazel $version'"
    run_tools_bazel build //...
    expect status $status 1
    expect stderr "$err" "bazel: bazel $version does not read WORKSPACE *: type ./bazelw in the place of bazel"
    run_tools_bazel build --noenable_bzlmod //...
    expect stderr "$err" "bazel: Modelport was never built with bazel $version: *"
    expect stdout "$out" "bazel $version"
  done
  # shellcheck disable=SC2043
  for version in 4.2.3 no_version; do
    stub bazel "echo 'bazel $version'"
    run_tools_bazel build //...
    expect stdout "$out" "bazel $version"
  done
  expect 'the line for a Bazel without these launchers' "$(grep -v '^#' "$module_file")" 'fail("*type ./bazelw*")'
}

test_outside_the_repository_bazel_starts_inside_and_the_users_folder_is_kept() {
  new_machine
  printf 'installed g++ 4:12.2.0-3\ninstalled libfoo-dev 1.0-2\n' >"$installed"
  from=$scratch run_bazelw version
  expect calls "$(<"$log")" "bazel in $repo, user in $scratch"$'\n*'
}

for test in $(compgen -A function test_); do $test; done
exit $((failures > 0))
