#!/bin/bash
# The command that .ci/Dockerfile runs installs the packages of third_party/debian.lock, clang 19 and no others. It runs here with a stub of apt-get.
set -euo pipefail
command=$(sed -n '/^RUN /,/[^\\]$/p' .ci/Dockerfile)
command=${command#RUN }
command=${command//\/tmp\/debian.lock/third_party/debian.lock}
command=${command//\/var\/lib\/apt\/lists/$TEST_TMPDIR/lists}

mkdir "$TEST_TMPDIR/bin"
printf '#!/bin/sh\necho "$@" >>%s/calls\n' "$TEST_TMPDIR" >"$TEST_TMPDIR/bin/apt-get"
chmod +x "$TEST_TMPDIR/bin/apt-get"
PATH=$TEST_TMPDIR/bin:$PATH sh -c "$command"

# What bazelw reads: the first word of each line that is no comment.
packages=$(awk '!/^#/ && NF { printf " %s", $1 }' third_party/debian.lock)
[[ $packages == *" bazel-bootstrap "* ]]
diff <(echo "update
install --yes --no-install-recommends$packages clang-19 libclang-rt-19-dev llvm-19") "$TEST_TMPDIR/calls"
grep --quiet '^FROM debian:12$' .ci/Dockerfile
grep --quiet '^COPY third_party/debian.lock /tmp/debian.lock$' .ci/Dockerfile
