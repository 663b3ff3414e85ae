"""generate.py FOLDER COUNT SEED: writes COUNT random checkpoints, each to a folder of its own, and expected.json, which says what PyTorch's and
safetensors' own readers read in each. The first checkpoints of a seed do not depend on COUNT."""
import json
import pathlib
import random
import sys
import warnings

from formats import write_checkpoint
from reference import expect


def main():
    out, count, seed = pathlib.Path(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
    warnings.simplefilter("ignore")
    expected = {}
    for i in range(count):
        folder = out / f"{i:05}"
        folder.mkdir(parents=True)
        path = write_checkpoint(random.Random(f"{seed} {i}"), folder)
        expected[str(path.relative_to(out))] = expect(path)
    (out / "expected.json").write_text("".join(["{\n", ",\n".join(f"{json.dumps(name)}:{json.dumps(value, separators=(',', ':'))}" for name, value in expected.items()), "\n}\n"]))


if __name__ == "__main__":
    main()
