#!/bin/bash
# committed_test.sh COMPARE ARCHIVE: unpacks the checkpoints and compares each with what the reference readers read.
set -euo pipefail
mkdir "$TEST_TMPDIR/checkpoints"
tar --zstd -xf "$2" -C "$TEST_TMPDIR/checkpoints"
exec "$1" "$TEST_TMPDIR/checkpoints"
