#!/bin/bash
# Checks artifacts on a GPU: README.md. Needs g++ 10 or newer and a Python 3, which has PyTorch or is given a LibTorch:
#   [PYTHON=PYTHON] tests/gpu/run.sh [--device=cuda|cuda:INDEX|cpu] [--libtorch=FOLDER] [--upstream=FOLDER[:FOLDER]...] [--only=TEXT] PACKED
set -euo pipefail
exec "${PYTHON:-python3}" -B "$(dirname "${BASH_SOURCE[0]}")/run.py" "$@"
