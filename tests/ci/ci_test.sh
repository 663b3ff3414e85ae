#!/bin/bash
# .ci/run adds up the tests of all its phases, which depend on the machine. In place of bazelw stands a stub that says how many tests passed, in
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
  for command in awk bash cat date dirname find head mkdir mktemp realpath rm sed sleep sort tail tee timeout tr xargs; do
    ln -s "$(type -P "$command")" "$TEST_TMPDIR/bin"
  done
  for name in "$@"; do [[ $name != clang* ]] || ln -s "$(type -P true)" "$TEST_TMPDIR/bin/$name"; done
  cat >"$TEST_TMPDIR/bin/grep" <<END
#!/bin/bash
case "\$*" in
"-qw "*" /proc/cpuinfo") [[ " $* " == *" \$2 "* ]] ;;
*) exec $(type -P grep) "\$@" ;;
esac
END
  chmod +x "$TEST_TMPDIR/bin/grep"
}

fail() {
  echo "FAILED: $*"
  cat "$TEST_TMPDIR/calls"
  failures=$((failures + 1))
}

env=$(type -P env)

# run FIRST REST [ARGUMENT OF env]...: .ci/run with a stub whose first phase says FIRST and the others REST. Sets $out and $status.
run() {
  cat >"$repo/bazelw" <<END
#!/bin/bash
echo "\$*" >>"$TEST_TMPDIR/calls"
case "\$*" in *--config=isa_* | *--config=fuzz*) text="$2" ;; *) text="$1" ;; esac
echo "\$text"
[[ \$text != *fail* ]]
END
  chmod +x "$repo/bazelw"
  : >"$TEST_TMPDIR/calls"
  out=$(PATH=$TEST_TMPDIR/bin MODELPORT_DISK_CACHE="$TEST_TMPDIR/the cache" "$env" "${@:3}" "$repo/.ci/run" --flag)
  status=$?
}

# expect RUNS STATUS LAST_LINE FIRST REST [ARGUMENT OF env]...: .ci/run makes so many runs of Bazel and ends so.
expect() {
  run "${@:4}"
  local last
  last=$(tail -n 1 <<<"$out")
  if [[ $status != "$2" || $last != "$3" || $(grep -c -- --flag "$TEST_TMPDIR/calls") != "$1" ]]; then
    fail "wants status $2 and \"$3\" of $1 runs, has $status and \"$last\" of:"
  fi
}

# says TEXT: the summary of the last run has a line that fits this expression.
says() { grep -qE -- "$1" <<<"$out" || { fail "wants the line $1 in:"; echo "$out"; }; }

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
says '^FAILED in catalog: tests/catalog/check$'
: >"$repo/catalog"

# Each phase says its time, its tests and how many of them came from a cache.
machine avx2
cached="//a:one_test      (cached) PASSED in 0.1s
//a:two_test      (cached) PASSED in 0.1s
//a:three_test            PASSED in 0.1s
$all"
expect 2 0 "10 passed, 0 failed" "$cached" "$few"
says '^tests +[0-9]+ s +9 +2 +0$'
says '^isa_avx2 +[0-9]+ s +1 +0 +0$'
says '^catalog +[0-9]+ s +- +- +0$'

# A failed test is named at the end with the last lines of its log, and so is what does not build.
mkdir -p "$TEST_TMPDIR/logs/a_test"
printf 'its first line\n' >"$TEST_TMPDIR/logs/a_test/test.log"
for i in {1..20}; do echo "its line $i"; done >>"$TEST_TMPDIR/logs/a_test/test.log"
expect 2 1 "8 passed, 2 failed" "ERROR: /a/BUILD:3:8: Compiling a/b.cc failed
a/b.cc:7: no such name
//a:a_test          FAILED in 3.2s
  $TEST_TMPDIR/logs/a_test/test.log
//a:b_test          FAILED TO BUILD
Executed 9 out of 9 tests: 7 tests pass, 1 fails to build and 1 fails locally." "$few"
summary=$(sed -n '/^ERROR/,$p' <<<"$out" | sed -n '/^FAILED in/,$p')
for line in 'FAILED in tests: //a:a_test FAILED in 3.2s' '    its line 20' 'FAILED in tests: //a:b_test FAILED TO BUILD'; do
  grep -qxF -- "$line" <<<"$summary" || fail "wants \"$line\" in the summary"
done
says '^a/b.cc:7: no such name$'
! grep -q "its first line" <<<"$out" || fail "the summary has more than the last lines"

# What the compiler warns of is said, and fails nothing.
expect 2 0 "10 passed, 0 failed" "a/b.cc:3:14: warning: unused parameter 'c' [-Wunused-parameter]
$all" "$few"
says '^the compiler warns in tests: 1 times$'
says "^    a/b.cc:3:14: warning: unused parameter 'c'"

# No phase but the first starts when the time has passed, and the summary names those that did not run.
machine avx2 avx512f
expect 1 0 "9 passed, 0 failed" "$all" "$few" MODELPORT_CI_SECONDS=0
for phase in isa_avx2 isa_avx512 catalog; do says "^not run: $phase; MODELPORT_CI_SECONDS is 0$"; done

# One cache for all checkouts, also where HOME is not set; none of .ci/run's own beside the one that user.bazelrc names.
cache_of_calls() { sed -nE 's,.*(--disk_cache=.*) //\.\.\..*,\1,p' "$TEST_TMPDIR/calls"; }
machine
run "$all" "$few"
[[ $(cache_of_calls) == "--disk_cache=$TEST_TMPDIR/the cache" ]] || fail "wants MODELPORT_DISK_CACHE, has $(cache_of_calls)"
run "$all" "$few" -u MODELPORT_DISK_CACHE HOME="$TEST_TMPDIR/home"
[[ $(cache_of_calls) == "--disk_cache=$TEST_TMPDIR/home/.cache/modelport-bazel" ]] || fail "wants the cache of HOME, has $(cache_of_calls)"
expect 1 0 "9 passed, 0 failed" "$all" "$few" -u HOME -u MODELPORT_DISK_CACHE
echo "build --disk_cache=/elsewhere" >"$repo/user.bazelrc"
run "$all" "$few"
[[ -z $(cache_of_calls) ]] || fail "wants the cache of user.bazelrc alone, has $(cache_of_calls)"
rm "$repo/user.bazelrc"

# A folder that cannot be made costs only what the cache would have saved.
: >"$TEST_TMPDIR/file"
expect 1 0 "9 passed, 0 failed" "$all" "$few" MODELPORT_DISK_CACHE="$TEST_TMPDIR/file/cache"
says "cannot be written"

# The cache keeps what was used last.
entries="$TEST_TMPDIR/the cache/cas"
rm -rf "$entries"
mkdir -p "$entries"
for age in 1 2 3 4; do
  head -c 1000 /dev/zero >"$entries/$age"
  touch -d "$age days ago" "$entries/$age"
done
run "$all" "$few" MODELPORT_DISK_CACHE_BYTES=2500
[[ $(cd "$entries" && echo *) == "1 2" ]] || fail "wants the entries 1 and 2, has $(cd "$entries" && echo *)"

((failures == 0))
