"""Makes scripted.pt and traced.pt, which lint_files_test checks: python3 make_samples.py, with torch 2.13.

The network has what is often wrong with networks that work well in Python. In the files, source files are named without
their folders and the traced one names none, so that they do not depend on the machine.
"""
import inspect
import os
import types
import zipfile

import torch
import torch._sources
from torch import nn
from torch.nn import functional as F


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 3, 3, padding=1)
        self.act = nn.ReLU(inplace=True)

    def forward(self, x):
        y = self.act(self.conv(x))
        return y + self.conv(y.float())


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.invert = False
        self.mean = torch.full([1, 3, 1, 1], 0.5)
        self.blocks = nn.ModuleList([Block(), Block()])

    def forward(self, x):
        x -= self.mean
        ramp = torch.linspace(0.0, 1.0, x.shape[3])
        for block in self.blocks:
            x = block(x)
        x = F.interpolate(x * ramp, scale_factor=2.0, mode="bilinear")
        if self.invert:
            x = 1.0 - x
        return x, x.mean()


class Traced(Net):
    def forward(self, x):
        return super().forward(x)[0]


def without_debug_records(source, target):
    with zipfile.ZipFile(source) as old, zipfile.ZipFile(target, "w") as new:
        for record in old.infolist():
            if not record.filename.endswith(".debug_pkl"):
                new.writestr(zipfile.ZipInfo(record.filename), old.read(record))


torch._sources.inspect = types.SimpleNamespace(
    getsourcelines=inspect.getsourcelines,
    getsourcefile=lambda thing: os.path.basename(inspect.getsourcefile(thing)),
)
torch.manual_seed(0)
torch.jit.script(Net().eval()).save("scripted.pt")
torch.jit.trace(Traced().eval(), torch.rand(1, 3, 8, 8)).save("traced_full.pt")
without_debug_records("traced_full.pt", "traced.pt")
os.remove("traced_full.pt")

# As every scripted file whose code calls F.interpolate, scripted.pt carries text of PyTorch's functional.py, for error messages:
# BSD-3-Clause, https://github.com/pytorch/pytorch/blob/main/LICENSE.
