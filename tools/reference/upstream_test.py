#!/usr/bin/env python3
"""Compares Modelport's DINOv2 with upstream's own code through dump_stages.py, and expects a planted fault to be found.

    upstream_test.py DINOV2 PARITY PLUGINS

DINOV2 is a checkout of https://github.com/facebookresearch/dinov2, PARITY the program bazel-bin/tools/parity/parity, PLUGINS the
folder models/dinov2/testdata. It needs a Python with PyTorch and is run by hand.
"""

import os
import re
import subprocess
import sys
import tempfile

import torch

from dump_stages import dump_stages


def main(dinov2, parity, plugins):
    sys.path.insert(0, dinov2)
    from dinov2.layers import MemEffAttention, NestedTensorBlock
    from dinov2.models.vision_transformer import DinoVisionTransformer
    from functools import partial

    torch.manual_seed(0)
    model = DinoVisionTransformer(
        img_size=56, patch_size=14, embed_dim=24, depth=4, num_heads=2, mlp_ratio=4, init_values=1.0, block_chunks=0,
        interpolate_offset=0.1, block_fn=partial(NestedTensorBlock, attn_class=MemEffAttention)).eval()
    for parameter in model.parameters():
        torch.nn.init.normal_(parameter.data, std=0.3)
    x = torch.rand(1, 3, 70, 98)
    with tempfile.TemporaryDirectory() as folder:
        checkpoint, reference = os.path.join(folder, "m.pth"), os.path.join(folder, "r.safetensors")
        torch.save(model.state_dict(), checkpoint)

        def run(model, *flags):
            dump_stages(model, reference, "tiny_dinov2", x=x.to(next(model.parameters()).dtype))
            command = [parity, "--model=tiny_dinov2", f"--plugin_path={plugins}", f"--checkpoint={checkpoint}",
                       f"--reference={reference}", *flags]
            return subprocess.run(command, capture_output=True, text=True)

        result = run(model, "--bisect", "--all")
        print(result.stdout, result.stderr)
        assert result.returncode == 0, "the port differs from upstream"
        assert "blocks.3.mlp.fc2" in result.stdout, "upstream's modules were not compared"

        model.blocks[2].norm1.eps = 1e-3
        result = run(model, "--bisect")
        assert result.returncode == 1, "a fault was not seen"
        found = re.search(r"wrong on right input:\n  (\S+)\n", result.stdout)
        assert found and found[1] == "blocks.2.norm1", result.stdout
    print("the port equals upstream; the planted fault was found in blocks.2.norm1")


if __name__ == "__main__":
    main(*sys.argv[1:])
