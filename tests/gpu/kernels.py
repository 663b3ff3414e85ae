"""Which kernels a call runs, and which copies between host and device it makes."""
import torch
from torch.autograd import DeviceType
from torch.profiler import ProfilerActivity, profile


def profiled_events(module, inputs, device):
    """The operators of a warm call, and its kernels and copies on a GPU."""
    for _ in range(3):
        module(*inputs)
    activities = [ProfilerActivity.CPU]
    if device != "cpu":
        torch.cuda.synchronize(device)
        activities.append(ProfilerActivity.CUDA)
    with profile(activities=activities) as profiler:
        module(*inputs)
        if device != "cpu":
            torch.cuda.synchronize(device)
    return profiler.events()


def check_attention(names, label, report):
    """No attention of a model that calls scaled_dot_product_attention may be the written-out one."""
    calls = [name for name in names if name == "aten::scaled_dot_product_attention"]
    kernels = {name.removeprefix("aten::_scaled_dot_product_") for name in names if name.startswith("aten::_scaled_dot_product_")}
    name = f"{label}, fused attention"
    if not calls:
        report.skip(name, "the artifact does not call scaled_dot_product_attention")
    else:
        fused = bool(kernels) and not any("math" in kernel for kernel in kernels)
        report.check(name, fused, f"{len(calls)} calls, kernels: {', '.join(sorted(kernels)) or 'none'}")


def check_copies(names, allowed, label, report):
    """A call copies to or from the host only what its data-dependent shapes force, which models.txt states."""
    copies = [name for name in names if name.startswith(("Memcpy HtoD", "Memcpy DtoH"))]
    kinds = ", ".join(f"{copies.count(kind)} {kind}" for kind in sorted(set(copies)))
    report.check(f"{label}, copies", len(copies) <= allowed, f"{kinds or 'none'}, at most {allowed}")


def check(module, inputs, copies, device, label, report):
    events = profiled_events(module, inputs, device)
    names = [event.name for event in events]
    check_attention(names, label, report)
    if device == "cpu":
        report.skip(f"{label}, copies", "--device=cpu")
    else:
        # A profiler that sees no kernel would see no copy either.
        on_gpu = sum(event.device_type == DeviceType.CUDA for event in events)
        report.check(f"{label}, kernels are seen", on_gpu > 0, f"{on_gpu} kernels and copies")
        check_copies(names, copies, label, report)
