"""The artifacts of a folder that //tests/gpu:pack wrote."""
import hashlib
import json
import sys
from pathlib import Path
from typing import List, NamedTuple


class Artifact(NamedTuple):
    name: str
    model: str
    target: str
    magnifies: bool  # Rounding, so that only its results in float32 are compared.
    path: Path  # A TorchScript file with seeded weights.
    timed: bool  # One of models.txt, not of the tables of cases.
    copies: int  # Those between host and device that a call may make.
    calls: List[str]  # As tests/runtime/host.cc takes them.
    steps: List[str]  # The calls, and each knob that is set with a call after it.


def read_artifacts(packed, only, programs, folder):
    """Fills those whose name contains `only` with their weights, into a folder. A digest proves that they are the exported files."""
    table = packed / "cases.json"
    if not table.exists():
        sys.exit(f"{table} does not exist: make the folder with ./bazelw run //tests/gpu:pack -- {packed.resolve()}")
    artifacts = []
    for row in json.loads(table.read_text()):
        if only not in row["name"]:
            continue
        path = folder / f"{row['name']}.pt"
        filled, output = programs.run("fill", packed / f"{row['name']}.packed", path)
        if not filled:
            sys.exit(output)
        with path.open("rb") as file:
            digest = hashlib.sha256()
            while piece := file.read(1 << 22):
                digest.update(piece)
        if digest.hexdigest() != row["sha256"]:
            sys.exit(f"{packed / row['name']}.packed: the filled artifact has the SHA-256 {digest.hexdigest()}, the exported one {row['sha256']}")
        fields = {name: row[name] for name in Artifact._fields if name != "path"}
        artifacts.append(Artifact(path=path, **fields))
    if not artifacts:
        sys.exit(f"{table}: no artifact has {only!r} in its name")
    return artifacts
