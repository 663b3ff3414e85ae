"""Writes random checkpoints, and what PyTorch's and safetensors' own readers read in each:

    generate.py FOLDER COUNT SEED

Each of the COUNT checkpoints has a folder of its own in FOLDER; FOLDER/expected.json has what is read. The first
checkpoints of a seed do not depend on COUNT.
"""
import json
import pathlib
import random
import sys
import warnings

from reference import expect
from safetensors_files import safetensors_file
from shards import sharded_safetensors, sharded_torch
from torch_files import edited_torch_file, torch_file

# The functions that write a checkpoint, and how often each is called.
WRITERS = {torch_file: 12, edited_torch_file: 3, safetensors_file: 6, sharded_safetensors: 1, sharded_torch: 1}


def write_checkpoint(generator, folder):
    writer, = generator.choices(list(WRITERS), WRITERS.values())
    return writer(generator, folder)


def write_expected(path, expected):
    """One checkpoint a line."""
    lines = [f"{json.dumps(name)}:{json.dumps(value, separators=(',', ':'))}" for name, value in expected.items()]
    path.write_text("{\n" + ",\n".join(lines) + "\n}\n")


def main():
    out, count, seed = pathlib.Path(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
    warnings.simplefilter("ignore")
    expected = {}
    for i in range(count):
        folder = out / f"{i:05}"
        folder.mkdir(parents=True)
        path = write_checkpoint(random.Random(f"{seed} {i}"), folder)
        expected[str(path.relative_to(out))] = expect(path)
    write_expected(out / "expected.json", expected)


if __name__ == "__main__":
    main()
