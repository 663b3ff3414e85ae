"""SEA-RAFT as its custom.py runs it, for rows of upstream_models.json; the checkout's folder core is the one to name."""
import argparse
import sys
import types

import torch


def with_blocks(pretrain, iterations):
    """The network of upstream's configurations, whose forward takes two images [B, 3, H, W] in 0..1 and gives the motion of the first.

    `pretrain` names the ResNet whose ImageNet weights upstream's encoders begin with; here they begin without them.
    """
    models = types.ModuleType("torchvision.models")
    for name in ("ResNet18_Weights", "ResNet34_Weights"):
        setattr(models, name, types.SimpleNamespace(IMAGENET1K_V1=None))
    models.resnet18 = models.resnet34 = lambda weights: torch.nn.Identity()
    sys.modules.setdefault("torchvision", types.ModuleType("torchvision"))
    sys.modules["torchvision.models"] = models
    from raft import RAFT

    network = RAFT(argparse.Namespace(
        pretrain=pretrain, initial_dim=64, block_dims=[64, 128, 256], radius=4, dim=128, num_blocks=2, iters=iterations))
    upstream = network.forward
    network.forward = lambda first, second: upstream(255 * first, 255 * second, test_mode=True)["final"]
    return network
