#!/usr/bin/env python3
"""Writes what Depth Anything V1's own class computes under seeded weights, as a golden of a model.

    python3 models/depth_anything_v2/tests/dav1_golden.py UPSTREAM SEEDED MODEL HxW_bN...

UPSTREAM is a checkout of https://github.com/LiheYoung/Depth-Anything with its torchhub/, SEEDED the folder of seeded.py, the rule of seeded
weights, MODEL dav1_vits, dav1_vitb or dav1_vitl. Wants PyTorch, NumPy, safetensors and huggingface_hub. Each case is computed in float32 and
in float64; the difference is the noise that the golden states.
"""

import json
import os
import re
import sys

import torch
from safetensors.torch import save_file

FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "testdata", "goldens")
HEADS = {"vits": (64, [48, 96, 192, 384]), "vitb": (128, [96, 192, 384, 768]), "vitl": (256, [256, 512, 1024, 1024])}
MAX_ELEMENTS = 1000  # Of a stage that is stored; larger ones are stored as a slice.


def upstream_model(checkout, encoder):
    # Upstream loads the backbone from torchhub/ below the current folder.
    os.chdir(checkout)
    sys.path.insert(0, checkout)
    from depth_anything.dpt import DPT_DINOv2

    features, channels = HEADS[encoder]
    return DPT_DINOv2(encoder=encoder, features=features, out_channels=channels, localhub=True).eval()


def stages(model, x):
    """Name in models/depth_anything_v2/stages.txt -> tensor."""
    with torch.no_grad():
        found = {"depth": model(x)}
        for i, (patches, token) in enumerate(model.pretrained.get_intermediate_layers(x, 4, return_class_token=True)):
            found[f"feature.{i}.patch"], found[f"feature.{i}.cls"] = patches, token
    return found


def slice_of(shape):
    """Every n-th element along the longest dimensions, so that few enough are left."""
    steps = [1] * len(shape)
    kept = lambda: torch.Size(-(-side // step) for side, step in zip(shape, steps))
    while kept().numel() > MAX_ELEMENTS:
        steps[max(range(len(shape)), key=lambda k: kept()[k])] += 1
    return steps


def write(model, name, case, seeded, commit):
    height, width, batch = (int(number) for number in re.fullmatch(r"(\d+)x(\d+)_b(\d+)", case).groups())
    shape = (batch, 3, height, width)
    x = torch.from_numpy(seeded.fill("input:image", shape, 0, 0.0, 1.0))
    single = stages(model.float(), x)
    double = stages(model.double(), x.double())
    tensors, rows = {}, []
    for stage, value in single.items():
        steps = slice_of(value.shape)
        row = {"name": stage, "tensor": stage, "shape": list(value.shape)}
        if max(steps) > 1:
            row["slice"] = "[" + ", ".join(f"::{step}" for step in steps) + "]"
        row["min"], row["max"] = value.min().item(), value.max().item()
        row["fp64_max_abs_diff"] = (value.double() - double[stage]).abs().max().item()
        tensors[stage] = value[tuple(slice(None, None, step) for step in steps)].contiguous()
        rows.append(row)
    folder = os.path.join(FOLDER, name)
    os.makedirs(folder, exist_ok=True)
    save_file(tensors, os.path.join(folder, case + ".safetensors"))
    golden = {
        "model": name, "case": case, "seed": 0,
        "input": {"key": "input:image", "shape": shape, "center": 0.0, "spread": 1.0, "seed": 0},
        "constructor": "depth_anything/dpt.py:DPT_DINOv2", "notes": "by models/depth_anything_v2/tests/dav1_golden.py",
        "generated_with": {"torch": torch.__version__, "depth_anything_commit": commit},
    }
    with open(os.path.join(folder, case + ".json"), "w") as file:
        text = json.dumps(golden, indent=1)[:-2]
        file.write(text + ',\n "stages": [\n  ' + ",\n  ".join(json.dumps(row) for row in rows) + "\n ]\n}\n")


def main():
    checkout, seeded_folder, name, *cases = sys.argv[1:]
    sys.path.insert(0, os.path.abspath(seeded_folder))
    import seeded

    model = upstream_model(os.path.abspath(checkout), name.rpartition("_")[2])
    model.load_state_dict({
        key: torch.from_numpy(seeded.tensor(key, tuple(value.shape)))
        for key, value in model.state_dict().items()
    }, strict=True)
    for case in cases:
        write(model, name, case, seeded, "1d03336771fe09c5398ffdd211441e33941a97dc")


if __name__ == "__main__":
    main()
