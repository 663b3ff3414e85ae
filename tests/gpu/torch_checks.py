"""What only PyTorch can tell of the artifacts of models.txt: the kernels and copies of a call, and its time beside upstream's own model."""
import torch

import kernels
import latency

DTYPES = {"float32": torch.float32, "float16": torch.float16, "bfloat16": torch.bfloat16}


def run(artifacts, device, upstream, report):
    with torch.no_grad():
        for artifact in artifacts:
            if not artifact.timed:
                continue
            shapes = [[int(size) for size in shape.split(",")] for shape in artifact.calls[0].split(" ")[1:]]
            for name, dtype in DTYPES.items():
                # Loaded on the CPU first: moving leaves plain attributes and constants there.
                module = torch.jit.load(artifact.path).eval().to(device=device, dtype=dtype)
                inputs = [torch.rand(shape).to(device=device, dtype=dtype) for shape in shapes]
                label = f"{artifact.name}, {name}"
                try:
                    kernels.check(module, inputs, artifact.copies, device, label, report)
                    latency.measure(artifact, module, inputs, device, upstream, label, report)
                except RuntimeError as error:  # Of the artifact's or upstream's code; the last line says what is wrong.
                    report.check(label, False, str(error).strip().splitlines()[-1])
