#!/bin/bash
# pack_wheel.sh ZIPPER makes equal bytes of equal files, and a RECORD that pip accepts.
set -euo pipefail
zipper=$PWD/$1
pack=$PWD/release/pack_wheel.sh
cd "$TEST_TMPDIR"

mkdir -p a b/deep
echo one >a/tool
printf abc >a/text
(umask 077 && cp a/tool b/deep/tool && cp a/text b/other)
chmod +x b/other
printf 'm/bin/tool\ta/tool\nm/text\ta/text\n' >a/list
printf 'm/bin/tool\tb/deep/tool\nm/text\tb/other\n' >b/list
"$pack" a/list m.dist-info/RECORD "$zipper" a.whl
(umask 077 && "$pack" b/list m.dist-info/RECORD "$zipper" b.whl)
cmp a.whl b.whl

unzip -q a.whl
[[ -x m/bin/tool && ! -x m/text ]]
cmp a/tool m/bin/tool
# The SHA-256 of "abc" is in FIPS 180-2; its base64 is that of these bytes.
abc=ungWv48Bz-pBQUDeXa4iI7ADYaOWF3qctBD_YfIAFa0
diff - m.dist-info/RECORD <<RECORD
m/bin/tool,sha256=$(openssl dgst -sha256 -binary a/tool | basenc --base64url | tr --delete =),4
m/text,sha256=$abc,3
m.dist-info/RECORD,,
RECORD
