"""What the trainers of the demo models share: drawn scenes, safetensors files, gradients by several threads, flags."""

import argparse
import collections
import json
import math
import os
import random
import struct
import subprocess
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import torch
from torch import nn

# Scenes that training never sees: seeds from here on.
TEST_SEED = 1 << 40


# Files.


def read_safetensors(path):
    with open(path, "rb") as file:
        (size,) = struct.unpack("<Q", file.read(8))
        header = json.loads(file.read(size))
        data = memoryview(file.read())
    types = {"F32": np.float32, "F16": np.float16, "U8": np.uint8}
    return {
        key: torch.from_numpy(
            np.frombuffer(data[slice(*entry["data_offsets"])], types[entry["dtype"]]).reshape(entry["shape"]).copy()
        )
        for key, entry in header.items()
        if key != "__metadata__"
    }


def write_safetensors(path, tensors):
    """The tensors as float16."""
    header, offset = {"__metadata__": {"format": "pt"}}, 0
    for key in sorted(tensors):
        end = offset + 2 * tensors[key].numel()
        header[key] = {"dtype": "F16", "shape": list(tensors[key].shape), "data_offsets": [offset, end]}
        offset = end
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text)
        for key in sorted(tensors):
            file.write(tensors[key].half().cpu().contiguous().numpy().tobytes())


def load_weights(model, path, prefix=""):
    """Those of a file whose keys have the prefix."""
    model.load_state_dict({key.removeprefix(prefix): value.float() for key, value in read_safetensors(path).items()})


# The scenes.


def draw(program, first_seed, count, width, height, when=0):
    """Images [N, H, W, 3], bytes, and depths [N, H, W], metres, of scenes at the time `when`."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "scenes.safetensors")
        flags = [f"--first_seed={first_seed}", f"--count={count}", f"--size={width}x{height}", f"--time={when}"]
        subprocess.run([program, path, *flags], check=True)
        scenes = read_safetensors(path)
    return scenes["images"], scenes["depth"]


def random_aspect(numbers):
    return numbers.choice([1.5] * 4 + [16 / 9] * 2 + [4 / 3] * 2 + [1.0])


class Packs:
    """Draws pack after pack of scenes while the network trains on earlier ones; a subclass has draw_pack(number)."""

    def __init__(self, options, first):
        self.options, self.next = options, first
        self.pool = ThreadPoolExecutor(options.drawers)
        self.drawn = collections.deque(self.draw_next() for _ in range(options.drawers + 1))

    def draw_next(self):
        self.next += 1
        return self.pool.submit(self.draw_pack, self.next - 1)

    def numbers_of(self, number):
        return random.Random(self.options.seed * 1_000_003 + number)

    def get(self):
        self.drawn.append(self.draw_next())
        return self.drawn.popleft().result()


class Batches:
    """Batches of packs that are one tensor each. Each item comes `uses` times."""

    def __init__(self, packs, batch, uses):
        self.packs, self.batch, self.uses = packs, batch, uses
        self.left = []

    def get(self):
        if not self.left:
            items = self.packs.get()
            self.left = [items[part] for _ in range(self.uses) for part in torch.randperm(len(items)).split(self.batch)]
        return self.left.pop()


def unit_range(images):
    return images.float() / 255


def to_bytes(images):
    """The nearest values that a file of 8 bits holds."""
    return (images.clamp(0, 1) * 255).round() / 255


def psnr(predicted, target):
    """Of each image, over red, green and blue, in decibels."""
    return -10 * (predicted - target).square().flatten(1).mean(1).log10()


# Training.


def charbonnier(predicted, target):
    """Absolute differences; small ones count less, so that the even parts do not outweigh borders."""
    return ((predicted - target).square() + 1e-6).sqrt().mean()


class Gradients:
    """The gradients of a batch. On the CPU, threads take a part of it each, which is quicker than to share each
    operation, because operations are small."""

    def __init__(self, model, parts, loss_of):
        """`loss_of` gives the loss of a part of each of a batch's tensors, and of what is the same for all parts."""
        self.parameters = list(model.parameters())
        self.parts, self.loss_of = parts, loss_of
        self.pool = ThreadPoolExecutor(parts)

    def of_part(self, part, same):
        loss = self.loss_of(*part, **same)
        return loss.detach(), torch.autograd.grad(loss, self.parameters, allow_unused=True)

    def set(self, *batch, **same):
        """Sets `grad` of each parameter, and returns the loss, a tensor."""
        parts = zip(*(tensor.chunk(self.parts) for tensor in batch))
        results = list(self.pool.map(lambda part: self.of_part(part, same), parts))
        for i, parameter in enumerate(self.parameters):
            found = [gradients[i] for _, gradients in results if gradients[i] is not None]
            parameter.grad = torch.stack(found).mean(0) if found else None
        return sum(loss for loss, _ in results) / len(results)


def average_into(averages, model, step):
    keep = min(0.999, (step + 1) / (step + 10))
    torch._foreach_lerp_(list(averages.values()), list(model.state_dict().values()), 1 - keep)


def cosine_rate(step, progress, most):
    """The learning rate: it rises over 200 steps, and falls along a cosine to 0."""
    return most * min(1, (step + 1) / 200) * (0.5 + 0.5 * math.cos(math.pi * progress))


def progress_of(step, began, options):
    """From 0 to 1, when training ends."""
    return max(step / options.steps, (time.time() - began) / (60 * options.minutes))


def autocast(options, device="cpu"):
    return torch.autocast(device, torch.bfloat16, enabled=options.bfloat16, cache_enabled=False)


def train(model, batches, loss_of, test, options):
    """Adam with cosine_rate(). `loss_of` is that of Gradients; `test(model)` says how good the model with the running
    mean of the weights is. Returns that mean."""
    print(f"{sum(p.numel() for p in model.parameters())} parameters", flush=True)
    averages = {key: value.clone() for key, value in model.state_dict().items()}
    optimizer = torch.optim.Adam(model.parameters(), lr=options.rate, betas=(0.9, 0.99))
    gradients = Gradients(model, options.threads, loss_of)
    began, losses = time.time(), []
    step = 0
    while (progress := progress_of(step, began, options)) < 1:
        losses.append(gradients.set(*batches.get()))
        for group in optimizer.param_groups:
            group["lr"] = cosine_rate(step, progress, options.rate)
        nn.utils.clip_grad_norm_(model.parameters(), 0.5)
        optimizer.step()
        average_into(averages, model, step)
        step += 1
        if step % 100 == 0:
            seconds = time.time() - began
            print(f"step {step}: loss {torch.stack(losses).mean():.5f}, {seconds / step:.3f} s/step", flush=True)
            losses.clear()
        if step % options.test_every == 0:
            kept = {key: value.clone() for key, value in model.state_dict().items()}
            model.load_state_dict(averages)
            torch.set_num_threads(options.threads)
            with torch.inference_mode():
                print(f"step {step}: {test(model)}", flush=True)
            torch.set_num_threads(1)
            model.load_state_dict(kept)
    print(f"{step} steps in {(time.time() - began) / 60:.1f} minutes", flush=True)
    return averages


def parser_of(description, **defaults):
    """The flags that all trainers have. `defaults` are of those for which there is none here."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--draw_scene", default="bazel-bin/docs/pictures/draw_scene", help="the program")
    parser.add_argument("--out", help="the weights, a safetensors file")
    parser.add_argument("--weights", help="a file that an earlier run wrote; training goes on from its weights")
    parser.add_argument("--test_only", action="store_true", help="train nothing, and test the weights in --out")
    parser.add_argument("--seed", type=int, default=1, help="0 to 255; the test's scenes have seeds behind")
    parser.add_argument("--steps", type=int)
    parser.add_argument("--minutes", type=float, default=math.inf, help="end after so many, if --steps are not over")
    parser.add_argument("--batch", type=int)
    parser.add_argument("--rate", type=float, help="the largest learning rate")
    parser.add_argument("--test_every", type=int, default=1000, help="steps from one test on a few scenes to the next")
    parser.add_argument("--tests", type=int, help="scenes of the last test")
    parser.add_argument("--threads", type=int, default=2, help="of the CPU")
    parser.add_argument(
        "--bfloat16",
        action=argparse.BooleanOptionalAction,
        default=torch.cpu._is_avx512_bf16_supported(),
        help="train in bfloat16, which some processors do quicker; the file and the tests do not depend on it",
    )
    parser.set_defaults(**defaults)
    return parser


def add_pack_flags(parser, **defaults):
    """Those of a trainer that draws Packs while it trains."""
    parser.add_argument("--scenes", type=int, help="scenes in a pack")
    parser.add_argument("--uses", type=int, default=3, help="how often each item of a pack is used")
    parser.add_argument("--drawers", type=int, default=1, help="how many programs draw at a time")
    parser.add_argument("--tallest", type=int, help="the largest height of a drawn scene in pixels")
    parser.set_defaults(**defaults)
    return parser


def run(options, model, train_model, test, prefix=""):
    """Trains, unless --test_only, and tests the numbers in the file. `train_model(model, options)` gives weights, whose
    keys get the prefix; `test(model, options)` prints what it finds."""
    if not options.test_only:
        torch.set_num_threads(1)
        if options.weights:
            load_weights(model, options.weights, prefix)
        weights = {prefix + key: value for key, value in train_model(model, options).items()}
        write_safetensors(options.out, weights)
        print(f"{options.out}: {os.path.getsize(options.out)} bytes", flush=True)
    torch.set_num_threads(options.threads)
    load_weights(model, options.out, prefix)
    with torch.inference_mode():
        test(model, options)
