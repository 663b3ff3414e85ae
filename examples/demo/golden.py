#!/usr/bin/env python3
"""Writes what upstream's own class computes with the weights of demo_depth, as a golden of the model.

    python3 examples/demo/golden.py UPSTREAM SCENES.safetensors models/demo_depth/testdata/goldens/demo_depth

UPSTREAM is a checkout of Depth Anything V2. SCENES is what //docs/pictures:draw_scene writes with --count=1; the golden
is named after its size. Wants PyTorch, NumPy and safetensors. Every stage is computed in float32 and in float64; their difference is the
noise that the golden states.
"""

import functools
import json
import os
import sys
import types

import torch
from safetensors.torch import load_file, save_file

WEIGHTS = os.path.join(os.path.dirname(__file__), "..", "..", "models", "demo_depth", "demo_depth.safetensors")
MAX_ELEMENTS = 200  # Of a stage that is stored; larger ones are stored as a slice.


def upstream_model(checkout, state):
    """Upstream's DepthAnythingV2 of the metric models, with the sizes of the weights."""
    sys.path.insert(0, os.path.join(checkout, "metric_depth"))
    # Upstream prepares photos with these; here an image is drawn at the size that the network sees.
    for name in ("cv2", "torchvision", "torchvision.transforms"):
        sys.modules.setdefault(name, types.ModuleType(name))
    sys.modules["cv2"].INTER_CUBIC = sys.modules["cv2"].INTER_AREA = 0
    sys.modules["torchvision.transforms"].Compose = None
    from depth_anything_v2 import dinov2, dpt
    from depth_anything_v2.dinov2_layers import MemEffAttention, NestedTensorBlock

    dim = state["pretrained.cls_token"].shape[-1]
    depth = 1 + max(int(key.split(".")[2]) for key in state if key.startswith("pretrained.blocks."))
    grid = round((state["pretrained.pos_embed"].shape[1] - 1) ** 0.5)
    channels = [state[f"depth_head.projects.{i}.weight"].shape[0] for i in range(4)]
    features = state["depth_head.scratch.layer1_rn.weight"].shape[0]
    backbone = dinov2.DinoVisionTransformer(
        img_size=14 * grid, patch_size=14, embed_dim=dim, depth=depth, num_heads=3, mlp_ratio=4, init_values=1.0,
        block_chunks=0, block_fn=functools.partial(NestedTensorBlock, attn_class=MemEffAttention))
    dpt.DINOv2 = lambda model_name: backbone
    model = dpt.DepthAnythingV2(encoder="vits", features=features, out_channels=channels, max_depth=20.0)
    model.intermediate_layer_idx["vits"] = [1, 3, 5, 7]
    model.load_state_dict(state, strict=True)
    return model.eval()


def stages(model, x):
    """Name in models/depth_anything_v2/stages.txt -> tensor."""
    found, handles = {}, []

    def keep(module, name, take=lambda result: result):
        handles.append(module.register_forward_hook(lambda m, inputs, result: found.update({name: take(result).clone()})))

    for i in model.intermediate_layer_idx["vits"]:
        keep(model.pretrained.blocks[i], f"block.{i}")
    head = model.depth_head
    for i in range(4):
        keep(head.projects[i], f"project.{i}")
        keep(head.resize_layers[i], f"resize.{i}")
        keep(getattr(head.scratch, f"layer{i + 1}_rn"), f"layer{i + 1}_rn")
        keep(getattr(head.scratch, f"refinenet{i + 1}"), f"path_{i + 1}")
    keep(head.scratch.output_conv1, "output_conv1")
    keep(head.scratch.output_conv2[2], "output_conv2.2")
    with torch.no_grad():
        found["depth"] = model(x)
        found["tokens"] = model.pretrained.prepare_tokens_with_masks(x)
        features = model.pretrained.get_intermediate_layers(
            x, model.intermediate_layer_idx["vits"], return_class_token=True)
    for i, (patches, token) in enumerate(features):
        found[f"feature.{i}.patch"], found[f"feature.{i}.cls"] = patches, token
    for handle in handles:
        handle.remove()
    return found


def slice_of(shape):
    """Every n-th element along the longest dimensions, so that few enough are left."""
    steps = [1] * len(shape)
    count = lambda k: -(-shape[k] // steps[k])
    while functools.reduce(lambda n, k: n * count(k), range(len(shape)), 1) > MAX_ELEMENTS:
        steps[max(range(len(shape)), key=count)] += 1
    return steps


def main():
    checkout, scenes, folder = sys.argv[1:]
    state = {key: value.float() for key, value in load_file(WEIGHTS).items()}
    model = upstream_model(checkout, state)
    image = load_file(scenes)["images"][:1].permute(0, 3, 1, 2).float() / 255
    mean, std = torch.tensor([0.485, 0.456, 0.406]), torch.tensor([0.229, 0.224, 0.225])
    x = (image - mean[:, None, None]) / std[:, None, None]
    single = stages(model, x)
    double = stages(model.double(), x.double())
    tensors, rows = {"x": x.contiguous()}, []
    for name, value in single.items():
        row = {"name": name, "tensor": name, "shape": list(value.shape)}
        steps = slice_of(value.shape)
        if max(steps) > 1:
            row["slice"] = "[" + ", ".join(f"::{step}" for step in steps) + "]"
        row["min"], row["max"] = value.min().item(), value.max().item()
        row["fp64_max_abs_diff"] = (value.double() - double[name]).abs().max().item()
        tensors[name] = value[tuple(slice(None, None, step) for step in steps)].contiguous()
        rows.append(row)
    case = f"{x.shape[2]}x{x.shape[3]}_b1"
    os.makedirs(folder, exist_ok=True)
    save_file(tensors, os.path.join(folder, case + ".safetensors"))
    golden = {
        "model": "demo_depth", "case": case, "seed": 0, "inputs": [{"arg": "x", "tensor": "x"}],
        "notes": "upstream's class with the weights of models/demo_depth, by examples/demo/golden.py",
        "generated_with": {"torch": torch.__version__},
    }
    with open(os.path.join(folder, case + ".json"), "w") as file:
        text = json.dumps(golden, indent=1)[:-2]
        file.write(text + ',\n "stages": [\n  ' + ",\n  ".join(json.dumps(row) for row in rows) + "\n ]\n}\n")


if __name__ == "__main__":
    main()
