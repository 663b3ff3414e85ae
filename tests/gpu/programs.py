"""Compiles the C++ programs of the checks with g++ alone, and runs them."""
import importlib.util
import os
import subprocess
import sys
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]
# With its CUDA kernels, if it has them: no symbol of theirs is referred to, so the linker must keep them.
LIBRARIES = ["torch_cpu", "c10", "torch_cuda", "c10_cuda"]


def find_libtorch(folder):
    """A LibTorch folder: the one given, else that of this Python's PyTorch."""
    if folder is None:
        torch = importlib.util.find_spec("torch")
        if torch is None:
            sys.exit(f"{sys.executable} has no PyTorch: set PYTHON to one that has it, or give --libtorch=FOLDER")
        folder = Path(torch.origin).parent
    if not (folder / "include/torch/script.h").exists():
        sys.exit(f"{folder}: has no include/torch/script.h; --libtorch is a folder with LibTorch's include/ and lib/")
    return folder.resolve()


def has_old_abi(libtorch):
    """Whether it was compiled with GCC's ABI of before C++11, in which std::string has the mangled name Ss."""
    return b"_ZN3c106DeviceC1ERKSs\0" in (libtorch / "lib/libc10.so").read_bytes()


class Programs:
    """Compiled programs in a folder of their own; results and copies of hosts lie there, too."""

    def __init__(self, libtorch, folder):
        self.folder = folder
        include, lib = libtorch / "include", libtorch / "lib"
        torch = ["-O1", f"-D_GLIBCXX_USE_CXX11_ABI={int(not has_old_abi(libtorch))}", "-isystem", include]
        torch += ["-isystem", include / "torch/csrc/api/include"]
        link = [f"-L{lib}", "-Wl,--no-as-needed", f"-Wl,-rpath,{lib}", "-Wl,--allow-shlib-undefined"]
        link += [f"-l{name}" for name in LIBRARIES if (lib / f"lib{name}.so").exists()]
        compilers = [
            self._compile("fill", "tests/gpu/fill.cc", ["-O2", "-ffp-contract=off", f"-I{REPOSITORY}"], []),
            self._compile("host", "tests/runtime/host.cc", torch, link),
            self._compile("compare", "tests/gpu/compare.cc", torch, link),
        ]
        if any([compiler.wait() for compiler in compilers]):
            sys.exit(f"the programs cannot be compiled against {libtorch}")

    def _compile(self, name, source, flags, link):
        command = ["g++", "-std=c++20", *flags, REPOSITORY / source, "-o", self.folder / name, *link]
        return subprocess.Popen(command)

    def run(self, name, *arguments, **variables):
        """Runs a program with more environment variables. Returns whether it succeeded, and what it printed, or the first line of its error."""
        command = [self.folder / name, *map(str, arguments)]
        done = subprocess.run(command, capture_output=True, text=True, env={**os.environ, **variables})
        if done.returncode == 0:
            return True, done.stdout
        return False, (done.stderr.strip().splitlines() or [f"exit status {done.returncode}"])[0]
