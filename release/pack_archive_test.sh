#!/bin/bash
# pack_archive.sh makes equal bytes of equal files, wherever they lie, whatever their times and modes, and in whatever order they are listed.
set -euo pipefail
pack=$PWD/release/pack_archive.sh
cd "$TEST_TMPDIR"

mkdir -p a/x b/deep
echo one >a/x/tool
echo two >a/text
(umask 077 && cp a/x/tool b/deep/tool && cp a/text b/other)
chmod +x b/other
touch --date=2001-02-03 b/deep/tool
printf 'bin/tool\ta/x/tool\nshare/text\ta/text\n' >a/list
printf 'share/text\tb/other\nbin/tool\tb/deep/tool\n' >b/list
"$pack" a/list root a.tar.zst
(umask 077 && "$pack" b/list root b.tar.zst)
cmp a.tar.zst b.tar.zst

wants="drwxr-xr-x 0/0 root/
drwxr-xr-x 0/0 root/bin/
-rwxr-xr-x 0/0 root/bin/tool
drwxr-xr-x 0/0 root/share/
-rw-r--r-- 0/0 root/share/text"
has=$(zstd --decompress --stdout a.tar.zst | tar --list --verbose --numeric-owner | awk '{ print $1, $2, $6 }')
diff <(echo "$wants") <(echo "$has")
zstd --decompress --stdout a.tar.zst | tar --extract
[[ $(stat --format=%Y root/bin/tool) == 0 ]]
cmp a/x/tool root/bin/tool

# A file that is missing is an error.
if printf 'bin/none\tnone\n' >c && "$pack" c root c.tar.zst 2>/dev/null; then
  echo "a missing file was left out"
  exit 1
fi
