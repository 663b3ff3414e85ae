#!/bin/bash
# .ci/run adds up the tests of all its runs. In place of bazelw stands a stub that says how many tests passed, and in place of the check of
# the catalog one that passes as long as $repo/catalog is there.
set -u
repo=$TEST_TMPDIR/repo
mkdir -p "$repo/.ci" "$repo/tests/catalog"
cp -L .ci/run "$repo/.ci/run"
printf '#!/bin/bash\ntest -f catalog\n' >"$repo/tests/catalog/check"
chmod +x "$repo/tests/catalog/check"
: >"$repo/catalog"
runs=1
for isa in avx512f avx2; do grep -qw "$isa" /proc/cpuinfo && runs=$((runs + 1)); done
failures=0

# expect STATUS LAST_LINE FIRST REST: with a stub whose first run says FIRST and the others REST, .ci/run ends so.
expect() {
  cat >"$repo/bazelw" <<EOF
#!/bin/bash
echo "\$*" >>"$TEST_TMPDIR/calls"
case "\$*" in *--config=isa_*) text="$4" ;; *) text="$3" ;; esac
echo "\$text"
[[ \$text != *fail* ]]
EOF
  chmod +x "$repo/bazelw"
  : >"$TEST_TMPDIR/calls"
  local out status last
  out=$("$repo/.ci/run" --flag)
  status=$?
  last=$(tail -n 1 <<<"$out")
  if [[ $status != "$1" || $last != "$2" || $(grep -c -- --flag "$TEST_TMPDIR/calls") != "$runs" ]]; then
    echo "FAILED: wants status $1 and \"$2\" of $runs runs, has $status and \"$last\" of:"
    cat "$TEST_TMPDIR/calls"
    failures=$((failures + 1))
  fi
}

more=$((runs - 1))
all="Executed 2 out of 9 tests: 9 tests pass."
few="Executed 1 out of 1 test: 1 test passes."
expect 0 "$((9 + more)) passed, 0 failed" "$all" "$few"
expect 1 "$((7 + more)) passed, 2 failed" "Executed 9 out of 9 tests: 7 tests pass, 1 fails to build and 1 fails locally." "$few"
if ((more > 0)); then
  expect 1 "$((9 + more)) passed, $more failed" "$all" "Executed 2 out of 2 tests: 1 test passes and 1 fails locally."
  expect 1 "9 passed, $((2 * more)) failed" "$all" "Executed 2 out of 2 tests: 2 fail locally."
fi
expect 1 "0 passed, $runs failed" "a failure of Bazel itself" "another failure"
rm "$repo/catalog"
expect 1 "$((9 + more)) passed, 1 failed" "$all" "$few"

((failures == 0))
