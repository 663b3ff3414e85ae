"""Trains demo_upscale, a small model of Real-ESRGAN's SRVGGNetCompact that doubles an image, on scenes that draw_scene draws.

    ./bazelw build //docs/pictures:draw_scene
    pip install torch==2.13.0 numpy
    python3 examples/demo/train_upscale.py

Two threads, under an hour. The small image of a training pair has the mean of 2 x 2 pixels of the large one in each pixel,
and nothing else is done to it: no blur, no noise, no JPEG. The same seed draws the same scenes and patches; weights differ
a little from processor to processor.
"""

import argparse
import math
import os
import random
import time
from concurrent.futures import ThreadPoolExecutor

import torch
import torch.nn.functional as F
from torch import nn
from train import TEST_SEED, Packs, average_into, draw, random_aspect, read_safetensors, write_safetensors

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


def unit_range(images):
    return images.float() / 255


def to_bytes(images):
    """The nearest values that a file of 8 bits holds."""
    return (images.clamp(0, 1) * 255).round() / 255


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
        options = self.options
        numbers = random.Random(options.seed * 1_000_003 + number)
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


class Batches:
    """Each patch comes `uses` times."""

    def __init__(self, packs, batch, uses):
        self.packs, self.batch, self.uses = packs, batch, uses
        self.left = []

    def get(self):
        if not self.left:
            patches = self.packs.get()
            self.left = [patches[part] for _ in range(self.uses) for part in torch.randperm(len(patches)).split(self.batch)]
        return unit_range(self.left.pop())


def loss_of(predicted, target):
    """Absolute differences; small ones count less, so that the even parts do not outweigh borders (Charbonnier)."""
    return ((predicted - target).square() + 1e-6).sqrt().mean()


class Gradients:
    """The gradients of a batch. Threads take a part of it each, as in train.py."""

    def __init__(self, model, options):
        self.model, self.options = model, options
        self.parameters = list(model.parameters())
        self.pool = ThreadPoolExecutor(options.threads)

    def of_part(self, large):
        large = large.contiguous(memory_format=torch.channels_last)
        with torch.autocast("cpu", torch.bfloat16, enabled=self.options.bfloat16, cache_enabled=False):
            predicted = self.model(halve(large))
        loss = loss_of(predicted.float(), large)
        return loss.detach(), torch.autograd.grad(loss, self.parameters)

    def set(self, large):
        """Sets `grad` of each parameter, and returns the loss, a tensor."""
        results = list(self.pool.map(self.of_part, large.chunk(self.options.threads)))
        for i, parameter in enumerate(self.parameters):
            parameter.grad = torch.stack([gradients[i] for _, gradients in results]).mean(0)
        return sum(loss for loss, _ in results) / len(results)


def rate_at(step, progress, most):
    """The learning rate: it rises over 200 steps, and falls along a cosine to 0."""
    return most * min(1, (step + 1) / 200) * (0.5 + 0.5 * math.cos(math.pi * progress))


def psnr(predicted, target):
    """Of each image, over red, green and blue, in decibels."""
    return -10 * (predicted - target).square().flatten(1).mean(1).log10()


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
    model.eval()
    with torch.inference_mode():
        for start in range(0, count, 10):
            images, _ = draw(program, seed + start, min(10, count - start), *size)
            large = unit_range(images.permute(0, 3, 1, 2))
            small = halve(large)
            for name, double in ways.items():
                of_bytes = psnr(to_bytes(double(to_bytes(small))), large)
                of_floats = psnr(double(small).clamp(0, 1), large)
                sums[name] += torch.stack([of_bytes.sum(), of_floats.sum()])
    model.train()
    return {name: (total / count).tolist() for name, total in sums.items()}


def train(options):
    torch.manual_seed(options.seed)
    model = SRVGGNetCompact(**MODEL).to(memory_format=torch.channels_last)
    print(f"{sum(p.numel() for p in model.parameters())} parameters", flush=True)
    averages = {key: value.clone() for key, value in model.state_dict().items()}
    optimizer = torch.optim.Adam(model.parameters(), lr=options.rate, betas=(0.9, 0.99))
    batches = Batches(PatchPacks(options, 0), options.batch, options.uses)
    gradients = Gradients(model, options)
    began, losses = time.time(), []
    step = 0
    while True:
        progress = max(step / options.steps, (time.time() - began) / (60 * options.minutes))
        if progress >= 1:
            break
        losses.append(gradients.set(batches.get()))
        for group in optimizer.param_groups:
            group["lr"] = rate_at(step, progress, options.rate)
        nn.utils.clip_grad_norm_(model.parameters(), 0.5)
        optimizer.step()
        average_into(averages, model, step)
        step += 1
        if step % 100 == 0:
            seconds = time.time() - began
            print(f"step {step}: loss {torch.stack(losses).mean():.5f}, {seconds / step:.3f} s/step", flush=True)
            losses.clear()
        if step % options.test_every == 0:
            tested = SRVGGNetCompact(**MODEL)
            tested.load_state_dict(averages)
            torch.set_num_threads(options.threads)
            found = evaluate(tested, options.draw_scene, 10, (420, 280), TEST_SEED + (1 << 20))
            torch.set_num_threads(1)
            print(f"step {step}: " + ", ".join(f"{name} {values[0]:.2f} dB" for name, values in found.items()), flush=True)
    print(f"{step} steps in {(time.time() - began) / 60:.1f} minutes", flush=True)
    return averages


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--draw_scene", default="bazel-bin/docs/pictures/draw_scene", help="the program")
    parser.add_argument("--out", default="models/demo_upscale/demo_upscale.safetensors")
    parser.add_argument("--test_only", action="store_true", help="train nothing, and test the weights in --out")
    parser.add_argument("--seed", type=int, default=1, help="0 to 255; the test's scenes have seeds behind")
    parser.add_argument("--steps", type=int, default=17500)
    parser.add_argument("--minutes", type=float, default=math.inf, help="end after so many minutes, if --steps are not over")
    parser.add_argument("--batch", type=int, default=8)
    parser.add_argument("--rate", type=float, default=2e-3, help="the largest learning rate")
    parser.add_argument("--scenes", type=int, default=48, help="scenes in a pack")
    parser.add_argument("--uses", type=int, default=3, help="how often each patch is used")
    parser.add_argument("--test_every", type=int, default=1000, help="steps from one test on 10 scenes to the next")
    parser.add_argument("--tests", type=int, default=100, help="scenes of the last test")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--drawers", type=int, default=1, help="how many programs draw at a time")
    parser.add_argument("--tallest", type=int, default=560, help="the largest height of a drawn scene in pixels")
    parser.add_argument(
        "--bfloat16",
        action=argparse.BooleanOptionalAction,
        default=torch.cpu._is_avx512_bf16_supported(),
        help="train in bfloat16, which some processors do quicker; the file and the tests do not depend on it",
    )
    options = parser.parse_args()
    if not options.test_only:
        torch.set_num_threads(1)
        write_safetensors(options.out, train(options), {"format": "pt"})
        print(f"{options.out}: {os.path.getsize(options.out)} bytes", flush=True)

    torch.set_num_threads(options.threads)
    # The test is of the numbers in the file.
    model = SRVGGNetCompact(**MODEL)
    model.load_state_dict({key: value.float() for key, value in read_safetensors(options.out).items()})
    for size in [(420, 280), (840, 560)]:
        print(f"{options.tests} scenes of {size[0]} x {size[1]}, PSNR of 8 bits and of floats:", flush=True)
        for name, values in evaluate(model, options.draw_scene, options.tests, size).items():
            print(f"  {name}: {values[0]:.2f} dB, {values[1]:.2f} dB", flush=True)


if __name__ == "__main__":
    main()
