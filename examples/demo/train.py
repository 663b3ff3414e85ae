"""Trains demo_depth, a small model of Depth Anything V2 Metric's module types, on scenes that draw_scene draws.

    ./bazelw build //docs/pictures:draw_scene
    pip install torch==2.13.0 numpy
    python3 examples/demo/train.py

Two threads, under two hours; --device=cuda trains on a GPU, which takes larger batches, and wants more programs that draw
(--drawers). The same seed draws the same scenes; weights differ a little from processor to processor. The state is saved
every few minutes, and --resume goes on from it.
"""

import math
import os
import random
import time

import torch
import torch.nn.functional as F
from torch import nn
from training import (
    TEST_SEED,
    Gradients,
    Packs,
    add_pack_flags,
    autocast,
    average_into,
    draw,
    parser_of,
    progress_of,
    random_aspect,
    run,
    unit_range,
)

PATCH = 14
MAX_DEPTH = 20.0
MEAN = torch.tensor([0.485, 0.456, 0.406]).reshape(1, 3, 1, 1)
STD = torch.tensor([0.229, 0.224, 0.225]).reshape(1, 3, 1, 1)

# Of models/depth_anything_v2, but for its size.
MODEL = dict(dim=96, depth=8, heads=3, taps=(1, 3, 5, 7), features=32, channels=(24, 48, 96, 96), grid=15)


# The model. Names of modules are those of upstream's checkpoints, the layout `original`.


class PatchEmbed(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.proj = nn.Conv2d(3, dim, PATCH, PATCH)

    def forward(self, image):
        return self.proj(image).flatten(2).transpose(1, 2)


class Attention(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.heads = heads
        self.qkv = nn.Linear(dim, 3 * dim)
        self.proj = nn.Linear(dim, dim)

    def forward(self, x):
        batch, tokens, dim = x.shape
        qkv = self.qkv(x).reshape(batch, tokens, 3, self.heads, dim // self.heads)
        q, k, v = qkv.permute(2, 0, 3, 1, 4)
        return self.proj(F.scaled_dot_product_attention(q, k, v).transpose(1, 2).reshape(x.shape))


class Mlp(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.fc1 = nn.Linear(dim, 4 * dim)
        self.fc2 = nn.Linear(4 * dim, dim)

    def forward(self, x):
        return self.fc2(F.gelu(self.fc1(x)))


class LayerScale(nn.Module):
    def __init__(self, dim):
        super().__init__()
        # Larger than upstream's, whose training is longer.
        self.gamma = nn.Parameter(torch.full([dim], 0.3))

    def forward(self, x):
        return x * self.gamma


class Block(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.norm1 = nn.LayerNorm(dim, eps=1e-6)
        self.attn = Attention(dim, heads)
        self.ls1 = LayerScale(dim)
        self.norm2 = nn.LayerNorm(dim, eps=1e-6)
        self.mlp = Mlp(dim)
        self.ls2 = LayerScale(dim)

    def forward(self, x):
        x = x + self.ls1(self.attn(self.norm1(x)))
        return x + self.ls2(self.mlp(self.norm2(x)))


def waves(grid, dim):
    """A position embedding to begin with: waves along rows and columns, up to 3 periods. It is smooth, so that it says
    the same when it is interpolated to other sizes."""
    place = (torch.arange(grid) + 0.5) / grid
    angles = torch.pi * place.unsqueeze(1) * torch.logspace(math.log10(0.5), math.log10(6), dim // 4)
    along = torch.cat([angles.sin(), angles.cos()], 1)
    rows = along.unsqueeze(1).expand(-1, grid, -1)
    columns = along.unsqueeze(0).expand(grid, -1, -1)
    return 0.5 * torch.cat([rows, columns], 2).reshape(1, grid * grid, dim)


class DinoVisionTransformer(nn.Module):
    def __init__(self, dim, depth, heads, grid):
        super().__init__()
        self.grid = grid
        self.cls_token = nn.Parameter(0.02 * torch.randn(1, 1, dim))
        self.pos_embed = nn.Parameter(torch.cat([torch.zeros(1, 1, dim), waves(grid, dim)], 1))
        # Unused, as in upstream's depth models.
        self.mask_token = nn.Parameter(torch.zeros(1, dim))
        self.patch_embed = PatchEmbed(dim)
        self.blocks = nn.ModuleList(Block(dim, heads) for _ in range(depth))
        self.norm = nn.LayerNorm(dim, eps=1e-6)

    def positions(self, rows, columns):
        """The position embedding for so many patches, as models/dinov2 interpolates it: bicubic, at scales that an
        offset of 0.1 changes a little."""
        if rows == columns == self.grid:
            return self.pos_embed
        patches = self.pos_embed[:, 1:].reshape(1, self.grid, self.grid, -1).permute(0, 3, 1, 2)
        scales = ((rows + 0.1) / self.grid, (columns + 0.1) / self.grid)
        patches = torch.ops.aten.upsample_bicubic2d(patches, [rows, columns], False, *scales)
        return torch.cat([self.pos_embed[:, :1], patches.permute(0, 2, 3, 1).flatten(1, 2)], 1)

    def forward(self, image, taps):
        """The normalised patch tokens after each block of `taps`, as maps [B, C, rows, columns]."""
        rows, columns = image.shape[2] // PATCH, image.shape[3] // PATCH
        x = self.patch_embed(image)
        x = torch.cat([self.cls_token.expand(x.shape[0], -1, -1), x], 1) + self.positions(rows, columns)
        maps = []
        for i, block in enumerate(self.blocks):
            x = block(x)
            if i in taps:
                tokens = self.norm(x)[:, 1:]
                maps.append(tokens.reshape(x.shape[0], rows, columns, -1).permute(0, 3, 1, 2))
        return maps


class ResidualConvUnit(nn.Module):
    def __init__(self, features):
        super().__init__()
        self.conv1 = nn.Conv2d(features, features, 3, padding=1)
        self.conv2 = nn.Conv2d(features, features, 3, padding=1)

    def forward(self, x):
        return self.conv2(F.relu(self.conv1(F.relu(x)))) + x


def resize(x, size):
    return F.interpolate(x, size=size, mode="bilinear", align_corners=True)


class FeatureFusionBlock(nn.Module):
    def __init__(self, features):
        super().__init__()
        self.out_conv = nn.Conv2d(features, features, 1)
        self.resConfUnit1 = ResidualConvUnit(features)
        self.resConfUnit2 = ResidualConvUnit(features)

    def forward(self, x, lateral, size):
        if lateral is not None:
            x = x + self.resConfUnit1(lateral)
        # A convolution of single pixels gives the same before the resize, and has fewer pixels there.
        return resize(self.out_conv(self.resConfUnit2(x)), size)


class Scratch(nn.Module):
    def __init__(self, features, channels):
        super().__init__()
        for i, width in enumerate(channels, 1):
            setattr(self, f"layer{i}_rn", nn.Conv2d(width, features, 3, padding=1, bias=False))
        for i in range(1, 5):
            setattr(self, f"refinenet{i}", FeatureFusionBlock(features))
        self.output_conv1 = nn.Conv2d(features, features // 2, 3, padding=1)
        self.output_conv2 = nn.Sequential(
            nn.Conv2d(features // 2, 32, 3, padding=1), nn.ReLU(), nn.Conv2d(32, 1, 1), nn.Sigmoid()
        )


class DPTHead(nn.Module):
    def __init__(self, dim, features, channels):
        super().__init__()
        c1, c2, _, c4 = channels
        self.projects = nn.ModuleList(nn.Conv2d(dim, width, 1) for width in channels)
        self.resize_layers = nn.ModuleList(
            [
                nn.ConvTranspose2d(c1, c1, 4, 4),
                nn.ConvTranspose2d(c2, c2, 2, 2),
                nn.Identity(),
                nn.Conv2d(c4, c4, 3, stride=2, padding=1),
            ]
        )
        self.scratch = Scratch(features, channels)

    def forward(self, maps, size):
        s = self.scratch
        levels = [resize_layer(project(x)) for project, resize_layer, x in zip(self.projects, self.resize_layers, maps)]
        rn1, rn2, rn3, rn4 = s.layer1_rn(levels[0]), s.layer2_rn(levels[1]), s.layer3_rn(levels[2]), s.layer4_rn(levels[3])
        path = s.refinenet4(rn4, None, rn3.shape[2:])
        path = s.refinenet3(path, rn3, rn2.shape[2:])
        path = s.refinenet2(path, rn2, rn1.shape[2:])
        path = s.refinenet1(path, rn1, [2 * rn1.shape[2], 2 * rn1.shape[3]])
        return s.output_conv2(resize(s.output_conv1(path), size))


class DepthAnythingV2Metric(nn.Module):
    def __init__(self, dim, depth, heads, taps, features, channels, grid):
        super().__init__()
        self.taps = taps
        self.pretrained = DinoVisionTransformer(dim, depth, heads, grid)
        self.depth_head = DPTHead(dim, features, channels)
        # Training begins at a depth of about 5 metres.
        nn.init.constant_(self.depth_head.scratch.output_conv2[2].bias, -1.1)

    def forward(self, image):
        """A normalised image [B, 3, H, W] -> depth in metres [B, H, W]."""
        maps = self.pretrained(image, self.taps)
        return self.depth_head(maps, image.shape[2:]).squeeze(1) * MAX_DEPTH


# The scenes.


class ScenePacks(Packs):
    """Packs of scenes, each of one size."""

    def draw_pack(self, number):
        """Images and depths of one size, its aspect, and its height."""
        options, numbers = self.options, self.numbers_of(number)
        aspect = random_aspect(numbers)
        height = numbers.randint(120, 200) if numbers.random() < 0.8 else numbers.randint(200, options.tallest)
        first_seed = (options.seed << 32) + number * options.scenes
        images, depths = draw(options.draw_scene, first_seed, options.scenes, round(height * aspect), height)
        return images.to(options.device), depths.to(options.device), aspect, height


class Batches:
    """Batches from a few packs at a time. Each scene comes `uses` times."""

    def __init__(self, packs, batch, uses):
        self.packs, self.batch, self.uses = packs, batch, uses
        self.pool = []  # Of packs, each with the batches that are left of it.
        self.taken = 0  # Packs so far.

    def get(self, numbers):
        while len(self.pool) < 3:
            pack = self.packs.get()
            count = pack[0].shape[0]
            left = [part for _ in range(self.uses) for part in torch.randperm(count).split(self.batch)]
            self.pool.append((pack, left))
            self.taken += 1
        place = numbers.randrange(len(self.pool))
        (images, depths, aspect, height), left = self.pool[place]
        chosen = left.pop().to(images.device)
        if not left:
            self.pool.pop(place)
        return images[chosen], depths[chosen], aspect, height


def seen_size(numbers, aspect, height, sides):
    """The [height, width] that the network sees: the shorter side is one of `sides`, in patches, and at most twice that of
    the drawn picture."""
    shorter = numbers.choice([side for side in sides if side * PATCH <= 2 * height])
    return shorter * PATCH, round(shorter * aspect) * PATCH


def augment(images, depths, random_numbers):
    """Other colours, a little noise, and each second scene mirrored."""
    count = images.shape[0]

    def uniform(least, most, channels=1):
        numbers = torch.empty(count, channels, 1, 1, device=images.device)
        return numbers.uniform_(least, most, generator=random_numbers)

    mirrored = uniform(0, 1) < 0.5
    images = torch.where(mirrored, images.flip(3), images)
    depths = torch.where(mirrored.squeeze(1), depths.flip(2), depths)
    images = images.clamp(0.001, 1) ** uniform(0.85, 1.18)
    grey = images.mean(1, keepdim=True)
    images = grey + (images - grey) * uniform(0.5, 1.2)
    images = (images - 0.5) * uniform(0.85, 1.15) + 0.5 + uniform(-0.05, 0.05)
    noise = torch.randn(images.shape, device=images.device, generator=random_numbers)
    images = images * uniform(0.94, 1.06, 3) + noise * uniform(0, 0.01)
    return images.clamp(0, 1), depths


def normalise(images):
    return (images - MEAN.to(images.device)) / STD.to(images.device)


def prepare(images, depths, size, antialias=True):
    """Images in 0..1 [N, 3, H, W] and depths [N, H, W] of the network's size."""
    images = unit_range(images.permute(0, 3, 1, 2))
    if tuple(images.shape[2:]) != tuple(size):
        images = F.interpolate(images, size=size, mode="bicubic", antialias=antialias).clamp(0, 1)
        # A mean of two depths would be where nothing is.
        depths = F.interpolate(depths.unsqueeze(1), size=size, mode="nearest-exact").squeeze(1)
    return images, depths


# Training.


def loss_of(predicted, depth):
    """Of logarithms, so that a part of the depth counts alike at every depth."""
    difference = predicted.clamp(min=0.05).log() - depth.log()
    flat = difference.flatten(1)
    # The error of a whole scene counts less than that of its shape.
    silog = (flat.square().mean(1) - 0.5 * flat.mean(1).square() + 1e-6).sqrt().mean()
    # Slopes at several distances, in pixels; borders between things are some of them, so large ones are cut.
    slopes = 0
    for step in (1, 4):
        across = difference[:, :, step:] - difference[:, :, :-step]
        down = difference[:, step:] - difference[:, :-step]
        slopes = slopes + across.abs().clamp(max=1).mean() + down.abs().clamp(max=1).mean()
    return silog + flat.abs().mean() + 0.5 * slopes


def rate_at(step, progress, most):
    """The learning rate: it rises over 300 steps, stays, and falls over the last 40 % to a fiftieth."""
    warm = min(1, (step + 1) / 300)
    fall = max(0, (progress - 0.6) / 0.4)
    return most * warm * (1 - 0.98 * fall)


def groups_of(model):
    """Matrices decay, all else does not."""
    decays = [p for name, p in model.named_parameters() if p.ndim > 1 and "token" not in name and "pos_" not in name]
    rest = [p for name, p in model.named_parameters() if p.ndim <= 1 or "token" in name or "pos_" in name]
    return [{"params": decays, "weight_decay": 0.03}, {"params": rest, "weight_decay": 0}]


def evaluate(model, program, count, size, seen, seed=TEST_SEED):
    """Over the pixels nearer than 20 metres of `count` scenes of [width, height] `size`, which the network sees at
    [height, width] `seen`: means over scenes of AbsRel and delta < 1.25, and RMSE in metres."""
    model.eval()
    device = next(model.parameters()).device
    sums = torch.zeros(3, device=device)
    with torch.inference_mode():
        for start in range(0, count, 25):
            images, depths = draw(program, seed + start, min(25, count - start), *size)
            inputs, depths = images.to(device), depths.to(device)
            predicted = model(normalise(prepare(inputs, depths, seen, antialias=False)[0]))
            predicted = resize(predicted.unsqueeze(1), depths.shape[1:]).squeeze(1)
            for p, d in zip(predicted, depths):
                p, d = p[d < MAX_DEPTH].clamp(min=1e-3), d[d < MAX_DEPTH]
                ratio = torch.maximum(p / d, d / p)
                sums += torch.stack([((p - d).abs() / d).mean(), (ratio < 1.25).float().mean(), (p - d).square().mean()])
    model.train()
    absrel, delta, square = (sums / count).tolist()
    return f"AbsRel {absrel:.4f}, delta<1.25 {delta:.4f}, RMSE {math.sqrt(square):.3f} m"


def train(model, options):
    print(f"{sum(p.numel() for p in model.parameters())} parameters", flush=True)
    averages = {key: value.clone() for key, value in model.state_dict().items()}
    optimizer = torch.optim.AdamW(groups_of(model), lr=options.rate, betas=(0.9, 0.98), fused=options.device == "cuda")
    step = first_pack = 0
    if options.resume:
        state = torch.load(options.state, options.device)
        model.load_state_dict(state["model"])
        optimizer.load_state_dict(state["optimizer"])
        averages, step, first_pack = state["averages"], state["step"], state["packs"]
        print(f"goes on after step {step}", flush=True)

    packs = ScenePacks(options, first_pack)
    batches = Batches(packs, options.batch, options.uses)
    parts = 1 if options.device == "cuda" else options.threads

    def loss_of_part(images, depths, seeds, size, antialias):
        random_numbers = torch.Generator(options.device).manual_seed(seeds.item())
        inputs, targets = augment(*prepare(images, depths, size, antialias), random_numbers)
        with autocast(options, options.device):
            predicted = model(normalise(inputs))
        return loss_of(predicted.float(), targets)

    gradients = Gradients(model, parts, loss_of_part)

    def save():
        state = {"model": model.state_dict(), "optimizer": optimizer.state_dict(), "averages": averages, "step": step}
        # The scenes of packs that are in use are left out after --resume.
        torch.save({**state, "packs": first_pack + batches.taken}, options.state + ".partial")
        os.replace(options.state + ".partial", options.state)

    began, first_step, losses = time.time(), step, []
    while True:
        progress = progress_of(step, began, options)
        if progress >= 1:
            break
        torch.manual_seed(options.seed * 1_000_003 + step)
        numbers = random.Random(options.seed * 1_000_003 + step)
        images, depths, aspect, height = batches.get(numbers)
        # Small pictures are quick.
        size = seen_size(numbers, aspect, height, options.sides if progress < 0.6 else options.later_sides)
        seeds = (options.seed * 1_000_003 + step) * parts + torch.arange(parts)
        loss = gradients.set(images, depths, seeds, size=size, antialias=numbers.random() < 0.5)
        for group in optimizer.param_groups:
            group["lr"] = rate_at(step, progress, options.rate)
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        average_into(averages, model, step)
        losses.append(loss)
        step += 1
        if step % 100 == 0:
            rate = (step - first_step) * options.batch / (time.time() - began)
            print(f"step {step}: loss {torch.stack(losses).mean():.4f}, {rate:.1f} images/s", flush=True)
            losses.clear()
        if step % options.save_every == 0:
            save()
        if step % options.test_every == 0:
            tested = DepthAnythingV2Metric(**MODEL).to(options.device)
            tested.load_state_dict(averages)
            torch.set_num_threads(options.threads)
            found = evaluate(tested, options.draw_scene, 50, (210, 140), (140, 210), TEST_SEED + (1 << 20))
            torch.set_num_threads(1)
            print(f"step {step}: {found}", flush=True)
    save()
    return averages


def sides(text):
    return [int(side) for side in text.split(",")]


def test(model, options):
    for size, seen in [
        ((420, 280), (280, 420)),
        ((420, 280), (252, 378)),
        ((420, 280), (196, 294)),
        ((420, 280), (140, 210)),
        ((420, 280), (518, 784)),
        ((640, 360), (196, 350)),
        ((400, 300), (196, 266)),
        ((280, 280), (196, 196)),
    ]:
        found = evaluate(model, options.draw_scene, options.tests, size, seen)
        print(f"{options.tests} scenes of {size[0]} x {size[1]}, seen at {seen[1]} x {seen[0]}: {found}", flush=True)


def main():
    parser = parser_of(__doc__, out="models/demo_depth/demo_depth.safetensors", steps=11400, batch=16, rate=1e-3, tests=500)
    add_pack_flags(parser, scenes=256, tallest=340)
    if torch.cuda.is_available():
        parser.set_defaults(bfloat16=True)
    parser.add_argument("--state", default="/tmp/demo_train_state.pt", help="what --resume reads")
    parser.add_argument("--resume", action="store_true")
    parser.add_argument("--save_every", type=int, default=250, help="steps from one saved state to the next")
    parser.add_argument("--device", choices=["cpu", "cuda"], default="cpu")
    parser.add_argument("--sides", type=sides, default="8,9,10", help="shorter sides that the network sees, in patches")
    parser.add_argument("--later_sides", type=sides, default="8,9,10,10,11,12,13,14,16,18,20", help="in the last 40 %%")
    options = parser.parse_args()
    torch.manual_seed(options.seed)
    run(options, DepthAnythingV2Metric(**MODEL).to(options.device), train, test)


if __name__ == "__main__":
    main()
