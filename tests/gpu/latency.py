"""The time of a call beside that of upstream's own model, eager and compiled by torch.compile."""
import json
import statistics
import sys
import time

import torch

from host_checks import PRECISIONS
from programs import REPOSITORY

sys.path.insert(0, str(REPOSITORY / "bench"))
import upstream_model

# Upstream's kernels and the artifact's round differently, and upstream's code fills a sky with the quantile of a random sample of the pixels.
ALLOWED = {
    torch.float32: 1e-2,
    torch.float16: PRECISIONS["float16"].allowed,
    torch.bfloat16: PRECISIONS["bfloat16"].allowed,
}


def without_tf32(call):
    """What a call returns when float32 is computed in float32, so that no pixel passes a threshold in one model only."""
    allowed, torch.backends.cudnn.allow_tf32 = torch.backends.cudnn.allow_tf32, False
    try:
        return call()
    finally:
        torch.backends.cudnn.allow_tf32 = allowed


def check_equality(expected, actual, dtype, label, report):
    expected, actual = expected.double(), actual.double()
    difference = ((expected - actual).abs().max() / (expected.max() - expected.min())).item()
    report.check(f"{label}, equals upstream", difference <= ALLOWED[dtype], f"{difference:.1e}, at most {ALLOWED[dtype]:.1e}")


def milliseconds(call, device):
    if device != "cpu":
        torch.cuda.synchronize(device)
    start = time.perf_counter()
    call()
    if device != "cpu":
        torch.cuda.synchronize(device)
    return 1000 * (time.perf_counter() - start)


def take_turns(calls, device):
    """The median time of each call, after calls that warm up."""
    for call in calls.values():
        for _ in range(3):
            call()
    rounds = 3 if device == "cpu" else 30
    times = [{name: milliseconds(call, device) for name, call in calls.items()} for _ in range(rounds)]
    return {name: statistics.median(row[name] for row in times) for name in calls}


def upstream_calls(artifact, module, inputs, upstream, label, report):
    """Calls of upstream's model with the artifact's weights: eager, and compiled where that succeeds. Compares their output with the artifact's."""
    rows = json.loads((REPOSITORY / "bench/upstream_models.json").read_text())
    row = rows.get(artifact.model)
    if row is None or artifact.target != "libtorch":
        report.skip(f"{label}, upstream", "bench/upstream_models.json has no model that takes this input")
        return {}
    sys.path[:0] = [folder for folder in upstream.split(":") if folder and folder not in sys.path]
    upstream_model.mend_torchvision()
    try:
        model = upstream_model.load(row, module.state_dict(), artifact.name).to(inputs[0].device, inputs[0].dtype)
    except ModuleNotFoundError as error:
        report.skip(f"{label}, upstream", f"{error}; --upstream wants a checkout of {row['upstream']}")
        return {}
    except SystemExit as error:
        report.check(f"{label}, upstream", False, str(error))
        return {}
    select = (lambda output: output[row["output"]]) if "output" in row else (lambda output: output)
    try:
        expected = select(without_tf32(lambda: model(*inputs)))
    except RuntimeError as error:  # Upstream's code may support float32 alone.
        report.skip(f"{label}, upstream", f"its own code fails: {str(error).splitlines()[0]}")
        return {}
    check_equality(expected, select(without_tf32(lambda: module(*inputs))), inputs[0].dtype, label, report)
    calls = {"eager": lambda: model(*inputs)}
    compiled = torch.compile(model)
    try:
        compiled(*inputs)
        calls["torch.compile"] = lambda: compiled(*inputs)
    except Exception as error:  # Whatever upstream's code, Triton or a missing compiler raises.
        report.note(f"{label}, torch.compile", f"fails: {str(error).splitlines()[0]}")
    return calls


def measure(artifact, module, inputs, device, upstream, label, report):
    calls = {"artifact": lambda: module(*inputs), **upstream_calls(artifact, module, inputs, upstream, label, report)}
    times = take_turns(calls, device)
    text = [f"{name} {time:.2f} ms ({time / times['artifact']:.2f})" for name, time in times.items()]
    report.note(f"{label}, time", ", ".join(text))
