#!/bin/bash
# What repository rules run: a wheel's download, whose errors are shown, and the check of a user's own LibTorch.
# shellcheck disable=SC2317  # compgen finds the tests.
set -euo pipefail

readonly download=$PWD/third_party/pip_download.sh check=$PWD/third_party/check_libtorch.sh
failures=0

expect() {  # expect WHAT ACTUAL PATTERN
  # shellcheck disable=SC2053  # The right side is a pattern.
  [[ $2 == $3 ]] && return
  printf '%s: %s\n  wants: %s\n  has:   %s\n' "${FUNCNAME[1]}" "$1" "$3" "$2"
  failures=$((failures + 1))
}

# run COMMAND...: sets $status, $out and $err.
run() {
  status=0
  "$@" >"$TEST_TMPDIR/out" 2>"$TEST_TMPDIR/err" || status=$?
  out=$(<"$TEST_TMPDIR/out") err=$(<"$TEST_TMPDIR/err")
}

# python BODY: a Python whose calls run BODY.
python() {
  printf '#!/bin/bash\n%s\n' "$1" >"$TEST_TMPDIR/python"
  chmod +x "$TEST_TMPDIR/python"
  export MODELPORT_PIP_PYTHON=$TEST_TMPDIR/python
}

test_a_proxys_certificate_error_is_shown() {
  # pip says the cause on stdout, and on stderr only that it found nothing.
  python '[[ $* == *--quiet* ]] || echo "Could not fetch URL https://index: There was a problem confirming the ssl certificate: self-signed"
    echo "ERROR: No matching distribution found for torch==2.13.0" >&2; exit 1'
  run "$download" torch==2.13.0
  expect status $status 1
  expect stderr "$err" "*problem confirming the ssl certificate: self-signed*No matching distribution*PIP_CERT*"
}

test_a_download_says_nothing() {
  # shellcheck disable=SC2016
  python 'echo "Saved ./torch.whl"; echo "$*" >"$TEST_TMPDIR/call"'
  run "$download" --index-url=https://index torch==2.13.0
  expect status $status 0
  expect output "$out$err" ''
  expect call "$(<"$TEST_TMPDIR/call")" '-I -m pip * download *--no-deps*--dest=. --index-url=https://index torch==2.13.0'
}

test_other_errors_name_no_certificate() {
  python 'echo "ERROR: No matching distribution found" >&2; exit 1'
  run "$download" torch==0
  expect stderr "$err" 'ERROR: No matching distribution found'
}

# libtorch MAJOR MINOR SYMBOL: a LibTorch with headers of this release and the symbol of an Error's constructor.
libtorch() {
  folder=$TEST_TMPDIR/libtorch
  rm -rf "$folder"
  mkdir -p "$folder/include/torch/headeronly" "$folder/lib"
  printf '#define TORCH_VERSION_MAJOR %s\n#define TORCH_VERSION_MINOR %s\n' "$1" "$2" >"$folder/include/torch/headeronly/version.h"
  printf '\0_ZN3c105ErrorC1ENS_14SourceLocation%s\0' "$3" >"$folder/lib/libc10.so"
}

readonly new=ENSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE old=ESs

test_the_release_with_the_right_abi_is_taken() {
  libtorch 2 13 "$new"
  run "$check" "$folder" 2.13.1
  expect status $status 0
  expect output "$out$err" ''
}

test_another_release_is_refused() {
  libtorch 2 7 "$new"
  run "$check" "$folder" 2.13.0
  expect status $status 1
  expect stderr "$err" "$folder: is LibTorch 2.7, and Modelport is compiled with 2.13; name the folder of LibTorch 2.13.0"
  rm -r "$folder/include"
  echo 1.6.0+cpu >"$folder/build-version"
  run "$check" "$folder" 2.13.0
  expect stderr "$err" "*is LibTorch 1.6, and *"
  rm "$folder/build-version"
  run "$check" "$folder" 2.13.0
  expect stderr "$err" "*is LibTorch of an unknown release, and *"
}

test_the_old_abi_is_refused() {
  libtorch 2 13 "$old"
  run "$check" "$folder" 2.13.0
  expect status $status 1
  expect stderr "$err" "$folder: has the ABI of before C++11; name the folder of a LibTorch with the C++11 ABI*"
}

for test in $(compgen -A function test_); do $test; done
exit $((failures > 0))
