"""Trains demo_upscale, a small model of Real-ESRGAN's SRVGGNetCompact that doubles an image, on scenes that draw_scene draws.

    ./bazelw build //docs/pictures:draw_scene
    pip install torch==2.13.0 numpy
    python3 examples/demo/train_upscale.py

Two threads, under an hour. The small image of a training pair has the mean of 2 x 2 pixels of the large one in each pixel,
and nothing else is done to it: no blur, no noise, no JPEG. The same seed draws the same scenes and patches; weights differ
a little from processor to processor.
"""

import math

import torch
import torch.nn.functional as F
from torch import nn
from training import (
    TEST_SEED,
    Batches,
    Packs,
    add_pack_flags,
    autocast,
    charbonnier,
    draw,
    parser_of,
    psnr,
    random_aspect,
    run,
    to_bytes,
    train,
    unit_range,
)

# Of models/esrgan, but for its size.
MODEL = dict(features=24, convs=8)

PATCH = 96  # The side of a large patch.
LEAST_HEIGHT = 120  # Of a drawn scene.
SIZES = 4  # How many sizes of scenes a pack mixes.


class SRVGGNetCompact(nn.Module):
    """Names of modules are those of upstream's checkpoints, the layout `original`."""

    def __init__(self, features, convs):
        super().__init__()
        layers = [nn.Conv2d(3, features, 3, padding=1), nn.PReLU(features)]
        for _ in range(convs):
            layers += [nn.Conv2d(features, features, 3, padding=1), nn.PReLU(features)]
        self.body = nn.Sequential(*layers, nn.Conv2d(features, 3 * 2 * 2, 3, padding=1))
        # Training begins near the repeated pixels.
        nn.init.normal_(self.body[-1].weight, std=1e-3)
        nn.init.zeros_(self.body[-1].bias)

    def forward(self, image):
        """An image in 0..1 [B, 3, H, W] -> [B, 3, 2 * H, 2 * W], a little beyond 0..1."""
        return F.pixel_shuffle(self.body(image), 2) + repeat_pixels(image)


def repeat_pixels(images):
    return F.interpolate(images, scale_factor=2, mode="nearest")


def halve(images):
    return F.avg_pool2d(images, 2)


def cut(images, count, numbers):
    """Patches [count, 3, PATCH, PATCH] of images [N, H, W, 3], bytes: twice as many at random, and of them the half of which
    repeated pixels are farthest off, because much of a scene is even. Mirrored and turned at random."""
    _, height, width, _ = images.shape
    patches = []
    for _ in range(2 * count):
        image = images[numbers.randrange(len(images))]
        y, x = numbers.randint(0, height - PATCH), numbers.randint(0, width - PATCH)
        patch = image[y : y + PATCH, x : x + PATCH].permute(2, 0, 1)
        patch = patch.flip(2) if numbers.random() < 0.5 else patch
        patch = patch.flip(1) if numbers.random() < 0.5 else patch
        patches.append(patch.transpose(1, 2) if numbers.random() < 0.5 else patch)
    patches = torch.stack(patches)
    large = unit_range(patches)
    detail = (repeat_pixels(halve(large)) - large).square().flatten(1).mean(1)
    return patches[detail.topk(count).indices]


class PatchPacks(Packs):
    """Packs of patches from scenes of several sizes, drawn while the network trains on earlier ones."""

    def draw_pack(self, number):
        options, numbers = self.options, self.numbers_of(number)
        scenes = options.scenes // SIZES
        patches = []
        for i in range(SIZES):
            height = round(math.exp(numbers.uniform(math.log(LEAST_HEIGHT), math.log(options.tallest))))
            width = round(height * random_aspect(numbers))
            first_seed = (options.seed << 32) + (number * SIZES + i) * scenes
            images, _ = draw(options.draw_scene, first_seed, scenes, width, height)
            # As many pixels as were drawn.
            patches.append(cut(images, scenes * height * width // PATCH**2, numbers))
        return torch.cat(patches)


class PatchBatches(Batches):
    def get(self):
        return (unit_range(super().get()),)


def evaluate(model, program, count, size, seed=TEST_SEED):
    """Means over `count` scenes of [width, height] `size` of the PSNR of three ways to double their halves: name -> [of
    pictures of 8 bits, of floats]."""
    ways = {
        "nearest neighbour": repeat_pixels,
        # Pillow's BICUBIC: without antialias, torch has another cubic.
        "bicubic": lambda x: F.interpolate(x, scale_factor=2, mode="bicubic", antialias=True),
        "demo_upscale": model,
    }
    sums = {name: torch.zeros(2) for name in ways}
    for start in range(0, count, 10):
        images, _ = draw(program, seed + start, min(10, count - start), *size)
        large = unit_range(images.permute(0, 3, 1, 2))
        small = halve(large)
        for name, double in ways.items():
            of_bytes = psnr(to_bytes(double(to_bytes(small))), large)
            of_floats = psnr(double(small).clamp(0, 1), large)
            sums[name] += torch.stack([of_bytes.sum(), of_floats.sum()])
    return {name: (total / count).tolist() for name, total in sums.items()}


def train_model(model, options):
    model.to(memory_format=torch.channels_last)
    batches = PatchBatches(PatchPacks(options, 0), options.batch, options.uses)

    def loss_of(large):
        large = large.contiguous(memory_format=torch.channels_last)
        with autocast(options):
            predicted = model(halve(large))
        return charbonnier(predicted.float(), large)

    def test_a_few(model):
        found = evaluate(model, options.draw_scene, 10, (420, 280), TEST_SEED + (1 << 20))
        return ", ".join(f"{name} {values[0]:.2f} dB" for name, values in found.items())

    return train(model, batches, loss_of, test_a_few, options)


def test(model, options):
    for size in [(420, 280), (840, 560)]:
        print(f"{options.tests} scenes of {size[0]} x {size[1]}, PSNR of 8 bits and of floats:", flush=True)
        for name, values in evaluate(model, options.draw_scene, options.tests, size).items():
            print(f"  {name}: {values[0]:.2f} dB, {values[1]:.2f} dB", flush=True)


def main():
    parser = parser_of(
        __doc__, out="models/demo_upscale/demo_upscale.safetensors", steps=17500, batch=8, rate=2e-3, tests=100
    )
    add_pack_flags(parser, scenes=48, tallest=560)
    options = parser.parse_args()
    torch.manual_seed(options.seed)
    run(options, SRVGGNetCompact(**MODEL), train_model, test)


if __name__ == "__main__":
    main()
