"""Runs a model of upstream's own code, eager, for //bench:inference: a ModelProcess, whose header describes the lines.

usage: upstream_model.py MODELS.json MODEL CHECKPOINT.pth
"""
import importlib
import json
import re
import sys
import time

import torch


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


def memory(field):
    """Bytes of a field of /proc/self/status."""
    with open("/proc/self/status") as status:
        return int(re.search(rf"^{field}:\s+(\d+) kB$", status.read(), re.MULTILINE).group(1)) * 1024


def reset_peak():
    with open("/proc/self/clear_refs", "w") as file:
        file.write("5")


def build(row, checkpoint):
    """The model of a row of MODELS.json with the weights of the checkpoint."""
    module, function = row["build"].split(":")
    model = getattr(importlib.import_module(module), function)(**row["arguments"])
    model.load_state_dict(torch.load(checkpoint, mmap=True))
    return model.eval()


def image(words):
    shape = [int(size) for size in words.split(",")]
    count = torch.Size(shape).numel()
    return torch.linspace(-2, 2, count).reshape(shape)


def main():
    models, name, checkpoint = sys.argv[1:]
    mend_torchvision()
    with open(models) as file:
        model = build(json.load(file)[name], checkpoint)
    answers, sys.stdout = sys.stdout, sys.stderr
    print("ready", memory("VmRSS"), file=answers, flush=True)
    output = None
    for line in sys.stdin:
        words = line.split()
        if words[0] == "run":
            torch.set_num_threads(int(words[2]))
            x = image(words[1])
            reset_peak()
            cpu, wall = time.process_time(), time.perf_counter()
            with torch.inference_mode():
                output = model(x)
            cpu, wall = time.process_time() - cpu, time.perf_counter() - wall
            print(f"{cpu:.6f} {wall:.6f} {memory('VmHWM')}", file=answers, flush=True)
        else:
            with open(words[1], "wb") as file:
                file.write(output.contiguous().numpy().tobytes())
            print("saved", file=answers, flush=True)


main()
