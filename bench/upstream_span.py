"""SPAN's network with weights that are folded, for rows of upstream_models.json."""
import torch


def with_kernels(network):
    """The network, which loads a checkpoint of the layout `original`: of each convolution the kernel that runs, and none of the branches it was trained as.

    Upstream's class folds the branches in every call, over the kernel that was loaded. So it gets branches that fold to this kernel: the 3x3 convolution is the
    kernel, those before and after it pass their first channels on, and the shortcut is 0.
    """

    def identity(rows, columns):
        return torch.eye(rows, columns).reshape(rows, columns, 1, 1)

    def add_branches(weights, prefix, *_):
        kernel, bias = weights[prefix + "eval_conv.weight"], weights[prefix + "eval_conv.bias"]
        out, given = kernel.shape[:2]
        middle, first, last = torch.zeros(2 * out, 2 * given, 3, 3), identity(2 * given, given), identity(out, 2 * out)
        middle[:out, :given] = kernel
        branches = {
            "conv.0": (first, torch.zeros(2 * given)),
            "conv.1": (middle, torch.cat([bias, torch.zeros(out)])),
            "conv.2": (last, torch.zeros(out)),
            "sk": (torch.zeros(out, given, 1, 1), torch.zeros(out)),
        }
        for name, (weight, its_bias) in branches.items():
            weights |= {f"{prefix}{name}.weight": weight, f"{prefix}{name}.bias": its_bias}

    for module in network.modules():
        if hasattr(module, "eval_conv"):
            module._register_load_state_dict_pre_hook(add_branches)
    return network
