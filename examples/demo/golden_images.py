#!/usr/bin/env python3
"""Writes what upstream's own classes compute with the weights of demo_upscale and demo_between, as goldens of these models.

    python3 examples/demo/golden_images.py upscale REAL_ESRGAN BASICSR SCENES.safetensors models/demo_upscale
    python3 examples/demo/golden_images.py between VS_RIFE models/demo_between

REAL_ESRGAN, BASICSR and VS_RIFE are checkouts. SCENES is what //docs/pictures:draw_scene writes with --count=1, of even sides; demo_upscale
gets it halved, and the golden is named after that size. Two drawn images would take ten times as much room as the stages, so that demo_between
gets seeded ones. Wants PyTorch, NumPy and safetensors. Every stage is computed in float32 and in float64; their difference is the noise that
the golden states.
"""

import importlib
import json
import math
import os
import sys
import types

import torch
import torch.nn.functional as F
from safetensors.torch import load_file, save_file

MAX_ELEMENTS = 48  # Of a stage that is stored; larger ones are stored as a slice.
COMMITS = {
    "Real-ESRGAN": "a4abfb2979a7bbff3f69f58f58ae324608821e27",
    "vs-rife": "2a7f2c8d1f614642a996a52d90d74aa25cf1ba22",
}


def package(name, folder):
    """Makes `folder` the package `name`, without what its __init__.py imports: cv2, vapoursynth."""
    sys.modules[name] = types.ModuleType(name)
    sys.modules[name].__path__ = [folder]


def weights(folder, prefix=""):
    name = os.path.basename(os.path.normpath(folder))
    state = load_file(os.path.join(folder, name + ".safetensors"))
    return {key.removeprefix(prefix): value.float() for key, value in state.items()}


# demo_upscale.


def upscale_class(real_esrgan, basicsr):
    package("basicsr", os.path.join(basicsr, "basicsr"))
    package("basicsr.utils", os.path.join(basicsr, "basicsr", "utils"))
    package("realesrgan", os.path.join(real_esrgan, "realesrgan"))
    package("realesrgan.archs", os.path.join(real_esrgan, "realesrgan", "archs"))
    return importlib.import_module("realesrgan.archs.srvgg_arch").SRVGGNetCompact


def upscale_stages(model, x):
    """Name in models/esrgan/stages.txt -> tensor."""
    found = {}
    handles = [
        layer.register_forward_hook(lambda m, inputs, result, i=i: found.update({f"layer.{i}": result.clone()}))
        for i, layer in enumerate(model.body)
    ]
    with torch.no_grad():
        found["image"] = model(x)
    for handle in handles:
        handle.remove()
    return found


def upscale(real_esrgan, basicsr, scenes, folder):
    model = upscale_class(real_esrgan, basicsr)(num_feat=24, num_conv=8, upscale=2).eval()
    model.load_state_dict(weights(folder), strict=True)
    # As predict has it of a PNG: the mean of 2 x 2 pixels, in 8 bits.
    scene = load_file(scenes)["images"][:1].permute(0, 3, 1, 2).float()
    x = F.avg_pool2d(scene, 2).round() / 255
    single = upscale_stages(model, x)
    double = upscale_stages(model.double(), x.double())
    write(
        folder, x, {"x": x.contiguous()}, single, double,
        inputs=[{"arg": "x", "tensor": "x"}], arguments={},
        constructor="realesrgan/archs/srvgg_arch.py:SRVGGNetCompact(num_feat=24, num_conv=8, upscale=2) with the weights of "
        "models/demo_upscale, of a drawn scene",
        upstream="Real-ESRGAN")


# demo_between, whose blocks give 20 maps as those of release 4.5 do; those of 4.6 give four more, which are left out there.


def between_module(vs_rife, version):
    package("vsrife", os.path.join(vs_rife, "vsrife"))
    return importlib.import_module("vsrife.IFNet_HDv3_v" + version)


def narrow_model(upstream, widths):
    """Upstream's IFNet with its own blocks in other widths, which it has no arguments for."""
    model = upstream.IFNet()
    for i, width in enumerate(widths):
        setattr(model, f"block{i}", upstream.IFBlock(7 if i == 0 else 8 + 4, c=width))
    return model.eval()


def wide_warp(image, flow, flow_div, grid):
    """Upstream's warp without its conversion to float32."""
    flow = torch.cat([flow[:, 0:1] / flow_div[0], flow[:, 1:2] / flow_div[1]], 1)
    return F.grid_sample(
        image, (grid + flow).permute(0, 2, 3, 1), mode="bilinear", padding_mode="border", align_corners=True)


def between_stages(model, img0, img1, timestep):
    """Name in models/rife/stages.txt -> tensor. Pads, makes the grid and crops as vsrife/__init__.py does."""
    dtype = img0.dtype
    height, width = img0.shape[2:]
    padded = [math.ceil(side / 32) * 32 for side in (height, width)]
    pad = (0, padded[1] - width, 0, padded[0] - height)
    flow_div = torch.tensor([(padded[1] - 1.0) / 2.0, (padded[0] - 1.0) / 2.0], dtype=dtype)
    across = torch.linspace(-1.0, 1.0, padded[1], dtype=dtype).view(1, 1, 1, -1).expand(-1, -1, padded[0], -1)
    down = torch.linspace(-1.0, 1.0, padded[0], dtype=dtype).view(1, 1, -1, 1).expand(-1, -1, -1, padded[1])
    # The same number in both precisions.
    time = torch.full([img0.shape[0], 1, *padded], timestep, dtype=torch.float32).to(dtype)
    found, handles = {}, []
    for i in range(4):
        block = getattr(model, f"block{i}")
        handles.append(block.convblock.register_forward_hook(
            lambda m, inputs, result, i=i: found.update({f"trunk.{i}": result.clone()})))
        handles.append(block.register_forward_hook(
            lambda m, inputs, result, i=i: found.update(
                {f"change.{i}": result[0].clone(), f"mask.{i}": result[1].clone()})))
    with torch.no_grad():
        image = model(F.pad(img0, pad), F.pad(img1, pad), time, flow_div, torch.cat([across, down], 1))
    for handle in handles:
        handle.remove()
    # Upstream returns the image alone; it adds the blocks' results in this order.
    flow, mask = found["change.0"], found["mask.0"]
    for i in range(1, 4):
        flow, mask = flow + found[f"change.{i}"], mask + found[f"mask.{i}"]
    for name, value in (("image", image), ("flow", flow), ("mask", mask.sigmoid())):
        found[name] = value[:, :, :height, :width]
    return found


def between_both(upstream, model, img0, img1, timestep):
    """The stages in float32 and in float64, there with the warp in float64, too."""
    single = between_stages(model, img0, img1, timestep)
    warp, upstream.warp = upstream.warp, wide_warp
    double = between_stages(model.double(), img0.double(), img1.double(), timestep)
    upstream.warp = warp
    return single, double


def seeded(key, shape, center, spread):
    """Numbers by the rule of seeded weights and inputs (common/checkpoint/seeded.h), of seed 0."""
    bits, golden = (1 << 64) - 1, 0x9E3779B97F4A7C15

    def mix(z):
        z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9 & bits
        z = (z ^ (z >> 27)) * 0x94D049BB133111EB & bits
        return z ^ (z >> 31)

    start = 0xCBF29CE484222325
    for byte in key.encode():
        start = (start ^ byte) * 0x100000001B3 & bits
    base = mix(start)
    numbers = [(mix(base + i * golden & bits) >> 40) * 2.0**-23 - 1 for i in range(1, math.prod(shape) + 1)]
    return (center + spread * torch.tensor(numbers, dtype=torch.float64)).float().reshape(shape)


def between(vs_rife, folder):
    upstream = between_module(vs_rife, "4_5")
    model = narrow_model(upstream, [16, 20, 20, 16])
    model.load_state_dict(weights(folder, "module."), strict=True)
    # Both images count and things move by pixels, as in drawn scenes; 0.375 is exact, and no default.
    shape, timestep = [1, 3, 61, 90], 0.375
    inputs = [
        {"arg": arg, "key": key, "shape": shape, "center": center, "spread": 0.4, "seed": 0}
        for arg, key, center in (("x", "input:img0", 0.4), ("img1", "input:img1", 0.5))
    ]
    images = [seeded(row["key"], shape, row["center"], row["spread"]) for row in inputs]
    single, double = between_both(upstream, model, *images, timestep)
    write(
        folder, images[0], {}, single, double, inputs=inputs, arguments={"timestep": timestep},
        constructor="vsrife/IFNet_HDv3_v4_5.py:IFNet() with blocks of 16, 20, 20 and 16 and the weights of models/demo_between, padded "
        "and cropped as vsrife/__init__.py does; noise with the warp in float64, too",
        upstream="vs-rife")


# The files.


def steps_of(shape):
    """Every n-th element along the longest dimensions, so that few enough are left; all of four colours or directions. Odd
    steps: even ones would miss half of the pixels that a PixelShuffle makes."""
    steps = [1] * len(shape)
    count = lambda k: -(-shape[k] // steps[k])
    while math.prod(map(count, range(len(shape)))) > MAX_ELEMENTS:
        steps[max((k for k in range(len(shape)) if shape[k] > 4), key=count)] += 2
    return steps


def rounded(number, digits):
    return float(f"{number:.{digits}g}")


def write(folder, x, tensors, single, double, inputs, arguments, constructor, upstream):
    model = os.path.basename(os.path.normpath(folder))
    case = f"{x.shape[2]}x{x.shape[3]}_b{x.shape[0]}"
    rows = []
    for name, value in single.items():
        assert value.dtype == torch.float32 and double[name].dtype == torch.float64 and value.isfinite().all(), name
        steps = steps_of(value.shape)
        row = {"name": name, "tensor": name, "shape": list(value.shape)}
        if max(steps) > 1:
            row["slice"] = "[" + ", ".join(":" if step == 1 else f"::{step}" for step in steps) + "]"
        row["min"], row["max"] = rounded(value.min().item(), 6), rounded(value.max().item(), 6)
        row["fp64_max_abs_diff"] = rounded((value.double() - double[name]).abs().max().item(), 3)
        tensors[name] = value[tuple(slice(None, None, step) for step in steps)].contiguous()
        rows.append(row)
    place = os.path.join(folder, "testdata", "goldens", model)
    os.makedirs(place, exist_ok=True)
    save_file(tensors, os.path.join(place, case + ".safetensors"))
    os.chmod(os.path.join(place, case + ".safetensors"), 0o644)
    golden = {"model": model, "case": case, "seed": 0, "inputs": inputs}
    if arguments:
        golden["arguments"] = arguments
    golden["constructor"] = constructor
    generated = {"torch": torch.__version__, "device": "cpu", "dtype": "float32", upstream: COMMITS[upstream]}
    with open(os.path.join(place, case + ".json"), "w") as file:
        file.write("{\n" + "".join(f' "{key}": {json.dumps(value)},\n' for key, value in golden.items()))
        file.write(' "stages": [\n  ' + ",\n  ".join(map(json.dumps, rows)) + "\n ],\n")
        file.write(f' "generated_with": {json.dumps(generated)}\n' + "}\n")


if __name__ == "__main__":
    torch.set_num_threads(1)
    {"upscale": upscale, "between": between}[sys.argv[1]](*sys.argv[2:])
