"""Runs a model of upstream's own code, eager, for //bench:inference: a ModelProcess, whose header describes the lines.

usage: upstream_model.py MODELS.json MODEL CHECKPOINT.pth
"""
import fnmatch
import functools
import importlib
import json
import math
import sys
import time

import torch

from process_memory import memory, reset_peak


def mend_torchvision():
    """Declares two operators that torchvision's Python code wants, where its C++ library does not fit PyTorch."""
    try:
        import torchvision
    except ModuleNotFoundError:
        return
    except RuntimeError:
        for name in [name for name in sys.modules if name.split(".")[0] == "torchvision"]:
            del sys.modules[name]
        library = torch.library.Library("torchvision", "FRAGMENT")
        library.define("nms(Tensor dets, Tensor scores, float iou_threshold) -> Tensor")
        library.define("qnms(Tensor dets, Tensor scores, float iou_threshold) -> Tensor")
        _KEPT.append(library)


_KEPT = []  # A library that is deleted takes its operators with it.


def find(name):
    """What MODULE:NAME names; NAME may have dots."""
    module, path = name.split(":")
    return functools.reduce(getattr, path.split("."), importlib.import_module(module))


def build(value):
    """A value of a row, where {"name": NAME} is what the name stands for and {"call": NAME, "arguments": {...}} what the call returns."""
    if not isinstance(value, dict):
        return value
    if "name" in value:
        return find(value["name"])
    fields = {name: build(field) for name, field in value.items()}
    return find(value["call"])(**fields["arguments"]) if "call" in value else fields


def load(row, checkpoint, name):
    """The model of a row of MODELS.json with the weights of the checkpoint, a dictionary that messages call `name`."""
    model = build(row["model"])
    prefix = row.get("prefix", "")
    weights = {key.removeprefix(prefix): tensor for key, tensor in checkpoint.items()}
    missing, unexpected = model.load_state_dict(weights, strict=False)
    # A tensor that the model has under several names is once in the checkpoint.
    slots = {**dict(model.named_parameters(remove_duplicate=False)), **dict(model.named_buffers(remove_duplicate=False))}
    filled = {id(slot) for key, slot in slots.items() if key in weights}
    lacking = [key for key in missing if id(slots.get(key)) not in filled]
    # Published checkpoints also hold what forward does not use, and tables that the model computes itself.
    lacking = [key for key in lacking if not any(fnmatch.fnmatchcase(key, unused) for unused in row.get("unused", []))]
    if lacking or unexpected:
        sys.exit(f"{name} does not fit: lacks {lacking}, has besides {unexpected}")
    return model.eval()


def fill(inputs, words):
    """The field "inputs" of a row, where a shape or a number takes the next word."""
    if isinstance(inputs, dict):
        return {name: fill(value, words) for name, value in inputs.items()}
    if isinstance(inputs, list) and not all(isinstance(size, (int, str)) for size in inputs):
        return [fill(value, words) for value in inputs]
    sizes = [int(size) for size in next(words).split(",")]
    return torch.linspace(-2, 2, math.prod(sizes)).reshape(sizes) if isinstance(inputs, list) else sizes[0]


def main():
    models, name, checkpoint = sys.argv[1:]
    answers, sys.stdout = sys.stdout, sys.stderr  # Upstream's code may print.
    mend_torchvision()
    with open(models) as file:
        row = json.load(file)[name]
    model = load(row, torch.load(checkpoint, mmap=True), checkpoint)
    print("ready", memory("VmRSS"), file=answers, flush=True)
    output = None
    for line in sys.stdin:
        words = line.split()
        if words[0] == "run":
            torch.set_num_threads(int(words[1]))
            inputs = fill(row["inputs"], iter(words[2:]))
            reset_peak()
            cpu, wall = time.process_time(), time.perf_counter()
            with torch.inference_mode():
                output = model(*inputs)
            cpu, wall = time.process_time() - cpu, time.perf_counter() - wall
            print(f"{cpu:.6f} {wall:.6f} {memory('VmHWM')}", file=answers, flush=True)
        else:
            saved = output[words[2]] if isinstance(output, dict) else output
            with open(words[1], "wb") as file:
                file.write(saved.contiguous().numpy().tobytes())
            print("saved", file=answers, flush=True)


if __name__ == "__main__":
    main()
