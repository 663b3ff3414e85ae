"""Runs all checks of artifacts on a device and prints a table of their results; README.md describes them."""
import argparse
import importlib.util
import sys
import tempfile
from pathlib import Path

import host_checks
from artifacts import read_artifacts
from programs import Programs, find_libtorch
from report import Report


def parse_arguments():
    parser = argparse.ArgumentParser(prog="tests/gpu/run.sh", description=__doc__)
    parser.add_argument("packed", type=Path, help="the folder that //tests/gpu:pack wrote")
    parser.add_argument("--device", default="cuda", help="cuda, cuda:INDEX, or cpu for a test of this script; default cuda")
    parser.add_argument("--libtorch", type=Path, help="the LibTorch of the host program; by default that of this Python's PyTorch")
    parser.add_argument("--upstream", default="", help="checkouts of upstream's sources, with colons between, to compare the latency with")
    parser.add_argument("--only", default="", help="run only artifacts whose name contains this text")
    parser.add_argument("--jobs", type=int, default=8, help="how many host programs run at a time; default 8")
    return parser.parse_args()


def main():
    arguments = parse_arguments()
    report = Report()
    with tempfile.TemporaryDirectory(prefix="modelport_gpu_") as folder:
        programs = Programs(find_libtorch(arguments.libtorch), Path(folder))
        artifacts = read_artifacts(arguments.packed, arguments.only, programs, Path(folder))
        host_checks.run(artifacts, programs, arguments.device, arguments.jobs, report)
        if importlib.util.find_spec("torch"):
            import torch_checks  # Needs PyTorch.

            torch_checks.run(artifacts, arguments.device, arguments.upstream, report)
        else:
            report.skip("kernels, copies and latency", f"{sys.executable} has no PyTorch")
    sys.exit(report.finish())


if __name__ == "__main__":
    main()
