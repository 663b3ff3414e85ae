"""Starts the program modelport with the LibTorch of the package torch, which is found without being imported."""

import importlib.util
import os
import signal
import sys

_HERE = os.path.dirname(os.path.abspath(__file__))


def main():
    torch = importlib.util.find_spec("torch")
    if torch is None or torch.origin is None:
        sys.exit("NOT_FOUND: torch: the package that has LibTorch is not installed\n  pip install modelport installs it, too")
    libraries = os.path.join(os.path.dirname(os.path.abspath(torch.origin)), "lib")
    environment = dict(os.environ)
    # The program itself looks beside the folder of this package.
    if libraries != os.path.join(os.path.dirname(_HERE), "torch", "lib"):
        others = environment.get("LD_LIBRARY_PATH")
        environment["LD_LIBRARY_PATH"] = libraries + (os.pathsep + others if others else "")
    # Python ignores it, and the program would inherit that: `modelport list | head` would end with an error.
    if hasattr(signal, "SIGPIPE"):
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    program = os.path.join(_HERE, "bin", "modelport")
    os.execve(program, [program] + sys.argv[1:], environment)
