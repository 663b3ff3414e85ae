#!/bin/sh
# pip_download.sh ARGUMENT...: downloads a package's wheel into the current folder. Where that fails, stderr has all that pip says. What keeps
# it from an index, such as the certificate of a proxy, it says on stdout, and not at all with --quiet.
# Debian's own Python has the pip that bazelw installs; another Python that comes first in PATH may have none.
said=$("${MODELPORT_PIP_PYTHON:-/usr/bin/python3}" -I -m pip --disable-pip-version-check download --progress-bar=off --no-deps --only-binary=:all: --dest=. \
  "$@" 2>&1) && exit
status=$?
printf '%s\n' "$said" >&2
case $said in
  *certificate*) echo "a proxy's certificate is trusted if PIP_CERT or pip's setting cert names the file with the authority that signed it" >&2 ;;
esac
exit $status
