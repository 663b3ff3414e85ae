#!/bin/sh
# check_libtorch.sh FOLDER VERSION: whether the LibTorch in FOLDER is of the release VERSION, such as 2.13.0, but for its last number, and has
# the ABI of C++11. Otherwise stderr says so: what is compiled against it would fail after minutes, in lines that name neither.
set -u
folder=$1 wanted=${2%.*}

die() {
  echo "$folder: $*" >&2
  exit 1
}

# The release of the headers, as "2.13".
release_of() {
  for header in "$1/include/torch/headeronly/version.h" "$1/include/torch/csrc/api/include/torch/version.h"; do
    if grep -q 'define TORCH_VERSION_MAJOR' "$header" 2>/dev/null; then
      echo "$(sed -n 's/^#define TORCH_VERSION_MAJOR //p' "$header").$(sed -n 's/^#define TORCH_VERSION_MINOR //p' "$header")"
      return
    fi
  done
  # Releases before 1.8 state it in this file alone, "1.6.0+cpu".
  sed -n 's/^\([0-9]*\.[0-9]*\).*/\1/p' "$1/build-version" 2>/dev/null
}

release=$(release_of "$folder")
if [ "$release" != "$wanted" ]; then
  die "is LibTorch ${release:-of an unknown release}, and Modelport is compiled with $wanted; name the folder of LibTorch $2"
fi
# An Error's text is a std::string, whose name in the old ABI is Ss.
if grep -q '_ZN3c105ErrorC1ENS_14SourceLocationESs' "$folder/lib/libc10.so"; then
  die "has the ABI of before C++11; name the folder of a LibTorch with the C++11 ABI, as PyTorch's wheels of $wanted have it"
fi
