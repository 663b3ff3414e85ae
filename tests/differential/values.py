"""Random values as checkpoints hold them: tensors, the dictionaries and lists around them, and what lies between."""
import argparse
import array
import collections
import datetime
import decimal
import http
import pathlib
import string
import uuid

import numpy
import torch
from torch import nn

from reference import DTYPES, key_name

UNSUPPORTED_DTYPES = [torch.complex64, torch.complex128, torch.uint16, torch.uint32, torch.float8_e4m3fn, torch.float8_e5m2]

WORDS = ["blocks", "attn", "qkv", "weight", "bias", "norm1", "0", "1", "11", "layer 2", "größe", "層", "é", "e\u0301", "👩\u200d🔬", "a\"b",
         "back\\slash", "line\nend", "tab\t", "\u202ertl", "<b>", "%s", "..", "/", "NUL\0", "\x7f", "x" * 300, ""]

# Values without tensors. Some are plain data, others objects that a pickle makes by a call.
PLAIN = [None, True, False, 0, -1, 255, 256, 65536, -2**31, 2**40, -2**63, 2**70, 1.5, float("nan"), float("-inf"), "", "text", "größe", "x" * 300,
         b"", b"bytes\xff", bytearray(b"array"), 2 + 3j, set(), {1, 2}, frozenset({1}), (), [], {}, torch.Size([2, 3]), torch.float16,
         torch.device("cpu"), numpy.float32(1.5), numpy.int64(7), numpy.bool_(True), numpy.arange(3), datetime.date(2026, 11, 23),
         pathlib.PurePosixPath("a/b"), argparse.Namespace(lr=0.1, steps=[1, 2]), collections.Counter("aab"), range(3), nn.Linear, len, Ellipsis,
         torch.strided, decimal.Decimal("1.5"), http.HTTPStatus.OK, ValueError("x"), array.array("i", [1]), uuid.UUID(int=1)]


class Values:
    def __init__(self, random):
        self.random = random
        self.storages = []  # Flat tensors, which later tensors may share.
        self.containers = []  # Dictionaries and lists, which may be entered a second time.

    def chance(self, probability):
        return self.random.random() < probability

    def fill(self, tensor):
        """Gives the tensor's storage random bytes: NaN, infinities and denormal numbers among them."""
        storage = tensor.untyped_storage()
        data = bytearray(self.random.randbytes(storage.nbytes()))
        if tensor.dtype == torch.bool:
            data = bytearray(byte & 1 for byte in data)
        if data:
            storage.copy_(torch.frombuffer(data, dtype=torch.uint8).untyped_storage())
        return tensor

    def storage(self, dtype):
        shared = [flat for flat in self.storages if flat.dtype == dtype]
        if shared and self.chance(0.4):
            return self.random.choice(shared)
        count = self.random.choice([0, 1, 2, 3, 4, 6, 8, 12, 24])
        if self.chance(0.1) and dtype != torch.bool:
            # A part of a buffer of bytes, whose size need not be a multiple of the dtype's.
            buffer = self.fill(torch.empty(self.random.randrange(4) * dtype.itemsize + count * dtype.itemsize + self.random.randrange(9), dtype=torch.uint8))
            flat = buffer[len(buffer) // dtype.itemsize * dtype.itemsize - count * dtype.itemsize:][:count * dtype.itemsize].view(dtype)
        else:
            flat = self.fill(torch.empty(count, dtype=dtype))
        self.storages.append(flat)
        return flat

    def shape(self, count):
        """A shape of `count` elements."""
        sizes = []
        while count > 1 and self.chance(0.7):
            sizes.append(self.random.choice([size for size in range(1, count + 1) if count % size == 0]))
            count //= sizes[-1]
        return sizes + [count] if count != 1 or self.chance(0.5) else sizes

    def strided(self, flat):
        """Any view within `flat`: overlapping, expanded, empty or with elements left out."""
        sizes = [self.random.randrange(5) for _ in range(self.random.randrange(5))]
        strides = [self.random.randrange(7) for _ in sizes]
        if 0 in sizes:
            return flat.as_strided(sizes, strides, self.random.randrange(len(flat) + 4))
        offset = self.random.randrange(len(flat))
        while offset + sum((size - 1) * stride for size, stride in zip(sizes, strides)) >= len(flat):
            i = self.random.randrange(len(sizes))
            sizes[i] = max(1, sizes[i] - 1)
        return flat.as_strided(sizes, strides, offset)

    def view(self, flat):
        if len(flat) and self.chance(0.3):
            return self.strided(flat)
        tensor = flat.reshape(self.shape(len(flat)))
        if tensor.dim() and self.chance(0.3):
            axes = list(range(tensor.dim()))
            self.random.shuffle(axes)
            tensor = tensor.permute(axes)
        if tensor.dim() and self.chance(0.3):
            axis = self.random.randrange(tensor.dim())
            begin, step = self.random.randrange(tensor.shape[axis] + 1), self.random.randrange(1, 4)
            tensor = tensor[(slice(None),) * axis + (slice(begin, None, step),)]
        if self.chance(0.1):
            tensor = tensor.unsqueeze(0).expand(self.random.randrange(1, 4), *tensor.shape)
        return tensor

    def tensor(self):
        tensor = self.view(self.storage(self.random.choice(DTYPES)))
        floating = tensor.is_floating_point()
        kind = self.random.random()
        if kind < 0.15:
            tensor = nn.Parameter(tensor, requires_grad=floating and self.chance(0.7))
        elif kind < 0.18:
            tensor = nn.Buffer(tensor)
        elif kind < 0.22 and floating:
            tensor = tensor.detach().requires_grad_()
        if self.chance(0.03):
            tensor.note = self.random.choice(["text", {"scale": self.view(self.storage(torch.float32))}])
        return tensor

    def unsupported_tensor(self):
        """A tensor of a dtype or kind that is refused in a state dict."""
        dtype = self.random.choice(UNSUPPORTED_DTYPES)
        ones = torch.ones(2, 2)
        return self.random.choice([
            lambda: self.fill(torch.empty(3, dtype=dtype)),
            lambda: ones.to_sparse(),
            lambda: ones.to_sparse_csr(),
            lambda: torch.quantize_per_tensor(ones, 0.5, 0, torch.qint8),
            lambda: torch.quantize_per_channel(ones, torch.ones(2), torch.zeros(2), 0, torch.quint8),
            lambda: torch.empty(2, device="meta"),
            lambda: torch._neg_view(ones),
            lambda: torch.ones(2, dtype=torch.complex64).conj(),
        ])()

    def key(self):
        kind = self.random.random()
        if kind < 0.04:
            return self.random.randrange(-2, 300)
        if kind < 0.06:
            return self.random.choice([True, False, None, 1.5, (1, "a"), "\ud800"])
        if kind < 0.3:
            return "".join(self.random.choice(string.ascii_letters) for _ in range(self.random.randrange(1, 12)))
        return ".".join(self.random.choice(WORDS) for _ in range(self.random.randrange(1, 4)))

    def plain(self):
        return self.random.choice(PLAIN)

    def holder(self):
        """An object, set or storage that holds tensors and is no dictionary, list or tuple."""
        module = nn.Sequential(nn.Linear(2, 1), nn.BatchNorm1d(1))
        for value in module.state_dict().values():
            self.fill(value)
        return self.random.choice([
            lambda: argparse.Namespace(best=self.tensor(), state={"t": self.tensor()}),
            lambda: module,
            lambda: {self.tensor(), self.tensor()},
            lambda: self.fill(torch.empty(2)).untyped_storage(),
            lambda: self.fill(torch.empty(2)).storage(),
            lambda: collections.Counter({"a": self.tensor()}),
            lambda: torch.sort(self.fill(torch.empty(3))),
        ])()

    def value(self, depth):
        kind = self.random.random()
        if kind < 0.6:
            return self.tensor()
        if kind < 0.75:
            return self.plain()
        if kind < 0.77:
            return self.holder()
        if kind < 0.80 and self.containers:
            return self.random.choice(self.containers)
        if kind < 0.805:
            return self.unsupported_tensor()
        if depth == 0:
            return self.plain()
        return self.sequence(depth - 1) if kind < 0.86 else self.dictionary(depth - 1)

    def sequence(self, depth):
        items = []
        self.containers.append(items)
        items += [self.value(depth) for _ in range(self.random.randrange(4))]
        return tuple(items) if self.chance(0.4) else items

    def add(self, dictionary, key, value):
        """Adds an entry unless its key is spelled as another one."""
        names = {key_name(known, i) for i, known in enumerate(dictionary)}
        if key_name(key, len(dictionary)) not in names:
            dictionary[key] = value

    def dictionary(self, depth):
        made = self.random.choice([dict, dict, collections.OrderedDict, lambda: collections.defaultdict(list)])()
        self.containers.append(made)
        for _ in range(self.random.randrange(6)):
            self.add(made, self.key(), self.value(depth))
        if self.chance(0.01):
            made["like\n"], made["like\\n"] = self.tensor(), self.tensor()
        if self.chance(0.01):
            made["7"], made[7] = self.tensor(), self.tensor()
        if self.chance(0.01):
            made["up"], made["up.down"] = {"down": {"t": self.tensor()}}, {"t": self.tensor()}
        return made

    def module(self):
        """A module of torch.nn in some dtype; its state dict has `_metadata`."""
        small = [lambda: nn.Linear(2, 3), lambda: nn.Conv2d(1, 2, 2), lambda: nn.BatchNorm2d(2), lambda: nn.Embedding(3, 2), lambda: nn.LSTM(1, 1),
                 lambda: nn.MultiheadAttention(2, 1), lambda: nn.Sequential(nn.Linear(1, 2), nn.GELU(), nn.LayerNorm(2)),
                 lambda: nn.ModuleDict({"a": nn.Linear(1, 1), "b": nn.ModuleList([nn.PReLU()])})]
        made = nn.Sequential(*[self.random.choice(small)() for _ in range(self.random.randrange(1, 4))])
        if self.chance(0.3):
            made.append(nn.Sequential(made[0]))  # Its tensors are in the state dict twice.
        return made.to(self.random.choice([torch.float32, torch.float32, torch.float16, torch.bfloat16, torch.float64]))

    def state_dict(self):
        state = self.module().state_dict()
        for value in state.values():
            self.fill(value)
        if self.chance(0.2):
            state = type(state)((f"module.{key}", value) for key, value in state.items())
        return state

    def training(self):
        """What a training loop saves: the model beside the optimizer's state and settings."""
        model = self.state_dict()
        state = {i: {"step": self.fill(torch.empty(())), "exp_avg": self.fill(torch.empty(2)), "exp_avg_sq": self.fill(torch.empty(2))} for i in range(2)}
        saved = {"model": model, "optimizer": {"state": state, "param_groups": [{"lr": 0.1, "params": [0, 1]}]}, "epoch": 3, "args": self.plain()}
        if self.chance(0.3):
            saved["ema"] = model if self.chance(0.5) else self.state_dict()
        return saved

    def long(self):
        """More values than fit the short forms of pickle's instructions."""
        flat = self.fill(torch.empty(300))
        deep = {"t": self.tensor()}
        for _ in range(self.random.randrange(100)):
            deep = {"d": deep} if self.chance(0.8) else {"d": [deep]}
        return {"deep": deep, "many": {f"t{i}": flat[i] for i in range(self.random.randrange(250, 300))}, "list": list(range(1100)),
                "dict": {i: str(i) for i in range(1100)}, "text": "x" * 70000, "t": self.tensor()}

    def root(self):
        kind = self.random.random()
        if kind < 0.25:
            return self.state_dict()
        if kind < 0.4:
            return self.training()
        if kind < 0.41:
            return self.long()
        if kind < 0.44:
            return self.random.choice([self.tensor, self.plain, self.holder, self.module, lambda: self.sequence(2)])()
        tree = self.dictionary(3)
        if self.chance(0.03):
            tree["itself"] = tree
        return tree
