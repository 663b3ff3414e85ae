#!/bin/sh
# Merges the outputs of dump_operators into one table: a line with the names of the runtimes, then each signature once,
# with an x in the columns of the runtimes that register it.
#
#   merge_tables.sh 1.6=FILE 1.12=FILE 2.1=FILE > operators.txt
set -eu

runtimes="" files=""
for table; do
  runtimes="$runtimes${runtimes:+ }${table%%=*}"
  files="$files ${table#*=}"
done

echo "# Made by tools/runtime_tables/merge_tables.sh"
echo "$runtimes"
awk '
  FNR == 1 { ++runtimes }
  { signatures[$0]; registered[$0, runtimes] }
  END {
    for (signature in signatures) {
      columns = ""
      for (i = 1; i <= runtimes; ++i) columns = columns ((signature, i) in registered ? "x" : "-")
      print columns, signature
    }
  }' $files | LC_ALL=C sort -k 2
