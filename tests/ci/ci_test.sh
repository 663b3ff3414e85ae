#!/bin/bash
# .ci/run adds up the tests of all its runs, which depend on the machine. In place of bazelw stands a stub that says how many tests passed, in
# place of the check of the catalog one that passes as long as $repo/catalog is there, and in place of grep one that knows the processor.
set -u
repo=$TEST_TMPDIR/repo
mkdir -p "$repo/.ci" "$repo/tests/catalog"
cp -L .ci/run "$repo/.ci/run"
printf '#!/bin/bash\ntest -f catalog\n' >"$repo/tests/catalog/check"
chmod +x "$repo/tests/catalog/check"
: >"$repo/catalog"
failures=0

# machine NAME...: a machine with these instruction sets and programs.
machine() {
  rm -rf "$TEST_TMPDIR/bin"
  mkdir "$TEST_TMPDIR/bin"
  for command in bash cat dirname mktemp realpath rm sed tee; do ln -s "$(type -P "$command")" "$TEST_TMPDIR/bin"; done
  for name in "$@"; do [[ $name != clang* ]] || ln -s "$(type -P true)" "$TEST_TMPDIR/bin/$name"; done
  cat >"$TEST_TMPDIR/bin/grep" <<EOF
#!/bin/bash
case "\$*" in
"-qw "*" /proc/cpuinfo") [[ " $* " == *" \$2 "* ]] ;;
*) exec $(type -P grep) "\$@" ;;
esac
EOF
  chmod +x "$TEST_TMPDIR/bin/grep"
}

# expect RUNS STATUS LAST_LINE FIRST REST: with a stub whose first run says FIRST and the others REST, .ci/run makes so many runs and ends so.
expect() {
  cat >"$repo/bazelw" <<EOF
#!/bin/bash
echo "\$*" >>"$TEST_TMPDIR/calls"
case "\$*" in *--config=isa_* | *--config=fuzz*) text="$5" ;; *) text="$4" ;; esac
echo "\$text"
[[ \$text != *fail* ]]
EOF
  chmod +x "$repo/bazelw"
  : >"$TEST_TMPDIR/calls"
  local out status last
  out=$(PATH=$TEST_TMPDIR/bin "$repo/.ci/run" --flag)
  status=$?
  last=$(tail -n 1 <<<"$out")
  if [[ $status != "$2" || $last != "$3" || $(grep -c -- --flag "$TEST_TMPDIR/calls") != "$1" ]]; then
    echo "FAILED: wants status $2 and \"$3\" of $1 runs, has $status and \"$last\" of:"
    cat "$TEST_TMPDIR/calls"
    failures=$((failures + 1))
  fi
}

all="Executed 2 out of 9 tests: 9 tests pass."
few="Executed 1 out of 1 test: 1 test passes."
machine
expect 1 0 "9 passed, 0 failed" "$all" "$few"
expect 1 1 "0 passed, 1 failed" "a failure of Bazel itself" "$few"
machine avx2
expect 2 0 "10 passed, 0 failed" "$all" "$few"
machine avx2 clang-18
expect 2 0 "10 passed, 0 failed" "$all" "$few"
machine avx2 avx512f
expect 3 0 "11 passed, 0 failed" "$all" "$few"
machine avx2 avx512f clang-19
expect 4 0 "12 passed, 0 failed" "$all" "$few"
expect 4 1 "10 passed, 2 failed" "Executed 9 out of 9 tests: 7 tests pass, 1 fails to build and 1 fails locally." "$few"
expect 4 1 "12 passed, 3 failed" "$all" "Executed 2 out of 2 tests: 1 test passes and 1 fails locally."
expect 4 1 "9 passed, 6 failed" "$all" "Executed 2 out of 2 tests: 2 fail locally."
expect 4 1 "0 passed, 4 failed" "a failure of Bazel itself" "another failure"
rm "$repo/catalog"
expect 4 1 "12 passed, 1 failed" "$all" "$few"

((failures == 0))
