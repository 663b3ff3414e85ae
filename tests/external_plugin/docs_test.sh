#!/bin/bash
# The files of the example repository are those that docs/plugins.md shows. The first line of a block there is a comment with the file's
# name; the toy plugin's files have no folder in theirs.
set -euo pipefail
shown=$TEST_TMPDIR/shown
mkdir -p "$shown/models/toy"
awk -v folder="$shown/" '
  /^```/ { inside = !inside; file = ""; next }
  inside && file == "" { file = folder ($2 ~ /^[a-z]+\.yaml$/ ? "models/toy/" : "") $2; next }
  inside { print > file }
' docs/plugins.md
diff -r "$shown" tests/external_plugin/repository
