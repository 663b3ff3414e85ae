"""Trains demo_between, a small IFNet of models/rife that makes the image between two, on moving scenes of draw_scene.

    ./bazelw build //docs/pictures:draw_scene
    pip install torch==2.13.0 numpy
    python3 examples/demo/train_between.py

Two threads, half an hour. The camera, the floor and walls stand still; things move along straight lines. First each
scene is drawn at five times, into --cache if that is given. The same seed draws the same scenes and patches; weights
differ a little from processor to processor.
"""

import os
import random
from concurrent.futures import ThreadPoolExecutor

import torch
import torch.nn.functional as F
from torch import nn
from training import TEST_SEED, autocast, charbonnier, draw, parser_of, psnr, run, to_bytes, train, unit_range

# Of models/rife, but for its size: widths of the blocks, from coarse to fine, and by how much each makes images small.
MODEL = dict(widths=(16, 20, 20, 16), scales=(8, 4, 2, 1))

TIMES = (0, 0.25, 0.5, 0.75, 1)  # At which a scene is drawn.
WIDTH, HEIGHT = 256, 192
PATCH = 96  # A multiple of that to which the model pads.
DRAWN_AT_ONCE = 50


# The model. Names of modules are those of upstream's checkpoints, the layout `original`, after `module.`.


def conv(inputs, outputs, stride):
    return nn.Conv2d(inputs, outputs, 3, stride=stride, padding=1)


def activated(x):
    return F.leaky_relu(x, 0.2)


class ResConv(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.conv = conv(width, width, stride=1)
        self.beta = nn.Parameter(torch.ones(1, width, 1, 1))

    def forward(self, x):
        return activated(self.conv(x) * self.beta + x)


class IFBlock(nn.Module):
    def __init__(self, inputs, width):
        super().__init__()
        self.conv0 = nn.Sequential(
            nn.Sequential(conv(inputs, width // 2, stride=2)), nn.Sequential(conv(width // 2, width, stride=2))
        )
        self.convblock = nn.Sequential(*(ResConv(width) for _ in range(8)))
        self.lastconv = nn.Sequential(nn.ConvTranspose2d(width, 4 * 5, 4, stride=2, padding=1))
        # Training begins with no motion and equal parts of both images.
        nn.init.normal_(self.lastconv[0].weight, std=1e-3)
        nn.init.zeros_(self.lastconv[0].bias)

    def forward(self, seen, flow, scale):
        """What it sees, each [B, C, H, W], and the flow so far -> the changes of the flow [B, 4, H, W] and of the mask
        [B, 1, H, W]."""
        size = seen[0].shape[2:]
        small = resized(torch.cat(seen, 1), [side // scale for side in size])
        if flow is not None:
            small = torch.cat([small, resized(flow, small.shape[2:]) / scale], 1)
        x = self.convblock(activated(self.conv0[1](activated(self.conv0[0](small)))))
        # The flow is in pixels, which bfloat16 tells apart too coarsely.
        y = resized(F.pixel_shuffle(self.lastconv(x).float(), 2), size)
        return y[:, :4] * scale, y[:, 4:]


class IFNet(nn.Module):
    """That of RIFE 4.5, which sees nothing of an image but its colours."""

    def __init__(self, widths, scales):
        super().__init__()
        self.scales = scales
        for i, width in enumerate(widths):
            self.add_module(f"block{i}", IFBlock(7 if i == 0 else 12, width))

    def forward(self, before, after, timestep):
        """Images in 0..1 [B, 3, H, W] whose sides are multiples of 32, and when the image between them is, [B] -> that
        image [B, 3, H, W] as each block leaves it, the last one best."""
        time = timestep.reshape(-1, 1, 1, 1).expand(-1, 1, *before.shape[2:])
        flow, mask = self.block0([before, after, time], None, self.scales[0])
        moved, images = merged(before, after, flow, mask)
        found = [images]
        for i, scale in list(enumerate(self.scales))[1:]:
            change, more = getattr(self, f"block{i}")([*moved, time, mask], flow, scale)
            flow, mask = flow + change, mask + more
            moved, images = merged(before, after, flow, mask)
            found.append(images)
        return found


def merged(before, after, flow, mask):
    """Both images moved by the flow, and what the mask makes of them."""
    moved = [warp(before, flow[:, :2]), warp(after, flow[:, 2:])]
    part = mask.sigmoid()
    return moved, moved[0] * part + moved[1] * (1 - part)


def resized(x, size):
    return x if x.shape[2:] == tuple(size) else F.interpolate(x, size=list(size), mode="bilinear")


def warp(image, flow):
    """Each pixel from the place to which the flow [B, 2, H, W] points, in pixels right and down; beyond the border the
    nearest pixel."""
    height, width = flow.shape[2:]
    across = flow[:, 0] * (2 / (width - 1)) + torch.linspace(-1, 1, width)
    down = flow[:, 1] * (2 / (height - 1)) + torch.linspace(-1, 1, height).unsqueeze(1)
    return F.grid_sample(image, torch.stack([across, down], 3), padding_mode="border", align_corners=True)


# The scenes.


def draw_moving(options, first_seed, count, size):
    """Images [count, 5, H, W, 3], bytes, of each scene at TIMES."""
    with ThreadPoolExecutor(options.threads) as pool:
        drawn = list(pool.map(lambda when: draw(options.draw_scene, first_seed, count, *size, when)[0], TIMES))
    return torch.stack(drawn, 1)


def scenes_of(options):
    """The scenes of training, from the cache if it has them."""
    if options.cache and os.path.exists(options.cache):
        return torch.load(options.cache)
    first_seed = options.seed << 32
    scenes = []
    for start in range(0, options.scenes, DRAWN_AT_ONCE):
        count = min(DRAWN_AT_ONCE, options.scenes - start)
        scenes.append(draw_moving(options, first_seed + start, count, (WIDTH, HEIGHT)))
        print(f"{start + count} scenes", flush=True)
    scenes = torch.cat(scenes)
    if options.cache:
        torch.save(scenes, options.cache)
    return scenes


class MovingPatches:
    """Batches of patches of three images each, the middle one the target."""

    def __init__(self, scenes, batch, seed):
        self.scenes, self.batch = scenes, batch
        self.numbers = random.Random(seed)

    def cut(self):
        """Before, between and after [3, 3, PATCH, PATCH], bytes, at three of the times, and when the second is between
        the others. Mirrored, turned, reversed in time, with other colours."""
        numbers = self.numbers
        # More than half of them are of the whole motion, which is most difficult.
        places = (0, numbers.choice([1, 2, 3]), 4) if numbers.random() < 0.6 else sorted(numbers.sample(range(5), 3))
        first, middle, last = (TIMES[place] for place in places)
        when = (middle - first) / (last - first)
        if numbers.random() < 0.5:
            places, when = places[::-1], 1 - when
        y, x = numbers.randint(0, HEIGHT - PATCH), numbers.randint(0, WIDTH - PATCH)
        scene = self.scenes[numbers.randrange(len(self.scenes))]
        patches = scene[list(places), y : y + PATCH, x : x + PATCH].permute(0, 3, 1, 2)
        patches = patches[:, numbers.sample(range(3), 3)]
        patches = patches.flip(3) if numbers.random() < 0.5 else patches
        patches = patches.flip(2) if numbers.random() < 0.5 else patches
        return (patches.transpose(2, 3) if numbers.random() < 0.5 else patches), when

    def get(self):
        """Patches [batch, 3, 3, PATCH, PATCH] and times [batch]: of twice as many the half in which most moves, because
        much of a scene stands still."""
        patches, times = zip(*(self.cut() for _ in range(2 * self.batch)))
        patches, times = unit_range(torch.stack(patches)), torch.tensor(times)
        motion = (patches[:, 0] - patches[:, 2]).square().flatten(1).mean(1)
        chosen = motion.topk(self.batch).indices
        return patches[chosen], times[chosen]


def loss_of(images, target):
    """Of the image after each block, of the later ones more. Smaller images tell where a thing is that is far from its
    place."""
    loss = 0
    for i, image in enumerate(images):
        own, wanted = image, target
        weight = 0.6 ** (len(images) - 1 - i)
        for _ in range(4):
            loss = loss + weight * charbonnier(own, wanted)
            own, wanted = F.avg_pool2d(own, 2), F.avg_pool2d(wanted, 2)
    return loss


def blend(before, after, timestep):
    weight = timestep.reshape(-1, 1, 1, 1)
    return before * (1 - weight) + after * weight


def evaluate(model, options, count, size, seed=TEST_SEED):
    """The PSNR of 8 bits of `count` scenes of [width, height] `size`, multiples of 32, at two times between: time ->
    name -> [count]. A scene in which nothing that is seen moves has none, and is left out."""
    ways = {
        "nearer image": lambda before, after, when: torch.where(when.reshape(-1, 1, 1, 1) <= 0.5, before, after),
        "blend": blend,
        "demo_between": lambda *inputs: model(*inputs)[-1],
    }
    found = {when: {name: [] for name in ways} for when in (0.25, 0.5)}
    for start in range(0, count, 10):
        scenes = unit_range(draw_moving(options, seed + start, min(10, count - start), size).permute(0, 1, 4, 2, 3))
        scenes = scenes[(scenes[:, 0] != scenes[:, 4]).flatten(1).any(1)]
        for when, of_time in found.items():
            target = scenes[:, TIMES.index(when)]
            for name, way in ways.items():
                made = way(scenes[:, 0], scenes[:, 4], torch.full([len(scenes)], when))
                of_time[name] += psnr(to_bytes(made), target).tolist()
    return found


def mean(values):
    return sum(values) / len(values)


def train_model(model, options):
    batches = MovingPatches(scenes_of(options), options.batch, options.seed)

    def loss_of_part(patches, times):
        with autocast(options):
            images = model(patches[:, 0], patches[:, 2], times)
        return loss_of(images, patches[:, 1])

    def test_a_few(model):
        found = evaluate(model, options, 20, (WIDTH, HEIGHT), TEST_SEED + (1 << 20))[0.5]
        return ", ".join(f"{name} {mean(values):.2f} dB" for name, values in found.items())

    return train(model, batches, loss_of_part, test_a_few, options)


def test(model, options):
    for size in [(WIDTH, HEIGHT), (384, 288)]:
        for when, ways in evaluate(model, options, options.tests, size).items():
            count = len(ways["blend"])
            print(f"{count} scenes of {size[0]} x {size[1]} with motion, at {when}, PSNR of 8 bits:", flush=True)
            for name, values in ways.items():
                print(f"  {name}: {mean(values):.2f} dB", flush=True)
            gains = sorted(own - least for own, least in zip(ways["demo_between"], ways["blend"]))
            print(f"  above blend: {gains[0]:.2f} dB to {gains[-1]:.2f} dB, half over {gains[count // 2]:.2f} dB")
            print(f"  below blend: {sum(gain < 0 for gain in gains)}", flush=True)


def main():
    parser = parser_of(
        __doc__,
        out="models/demo_between/demo_between.safetensors",
        steps=25000,
        batch=6,
        rate=2e-3,
        tests=100,
        bfloat16=False,
    )
    parser.add_argument("--scenes", type=int, default=2000, help="of training")
    parser.add_argument("--cache", help="a file for the drawn scenes; if it is there, they are read and not drawn")
    options = parser.parse_args()
    torch.manual_seed(options.seed)
    run(options, IFNet(**MODEL), train_model, test, prefix="module.")


if __name__ == "__main__":
    main()
