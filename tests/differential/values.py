"""Random trees of dictionaries, lists and tuples with tensors and other values."""
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

from random_tensors import RandomTensors
from spelling import key_name

WORDS = ["blocks", "attn", "qkv", "weight", "bias", "norm1", "0", "1", "11", "layer 2", "größe", "層", "é", "e\u0301",
         "👩\u200d🔬", "a\"b", "back\\slash", "line\nend", "tab\t", "\u202ertl", "<b>", "%s", "..", "/", "NUL\0",
         "\x7f", "x" * 300, ""]

# Values without tensors. Some are plain data, others objects that a pickle makes by a call.
PLAIN = [None, True, False, 0, -1, 255, 256, 65536, -2**31, 2**40, -2**63, 2**70, 1.5, float("nan"), float("-inf"), "",
         "text", "größe", "x" * 300, b"", b"bytes\xff", bytearray(b"array"), 2 + 3j, set(), {1, 2}, frozenset({1}), (), [],
         {}, torch.Size([2, 3]), torch.float16, torch.device("cpu"), numpy.float32(1.5), numpy.int64(7),
         numpy.bool_(True), numpy.arange(3), datetime.date(2026, 11, 23), pathlib.PurePosixPath("a/b"),
         argparse.Namespace(lr=0.1, steps=[1, 2]), collections.Counter("aab"), range(3), nn.Linear, len, Ellipsis,
         torch.strided, decimal.Decimal("1.5"), http.HTTPStatus.OK, ValueError("x"), array.array("i", [1]),
         uuid.UUID(int=1)]


class Values(RandomTensors):
    def __init__(self, random):
        super().__init__(random)
        self.containers = []  # Dictionaries and lists, which may be entered a second time.

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
        small = [lambda: nn.Linear(2, 3), lambda: nn.Conv2d(1, 2, 2), lambda: nn.BatchNorm2d(2),
                 lambda: nn.Embedding(3, 2), lambda: nn.LSTM(1, 1), lambda: nn.MultiheadAttention(2, 1),
                 lambda: nn.Sequential(nn.Linear(1, 2), nn.GELU(), nn.LayerNorm(2)),
                 lambda: nn.ModuleDict({"a": nn.Linear(1, 1), "b": nn.ModuleList([nn.PReLU()])})]
        made = nn.Sequential(*[self.random.choice(small)() for _ in range(self.random.randrange(1, 4))])
        if self.chance(0.3):
            made.append(nn.Sequential(made[0]))  # Its tensors are in the state dict twice.
        dtypes = [torch.float32, torch.float32, torch.float16, torch.bfloat16, torch.float64]
        return made.to(self.random.choice(dtypes))

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
        state = {i: {"step": self.fill(torch.empty(())), "exp_avg": self.fill(torch.empty(2))} for i in range(2)}
        optimizer = {"state": state, "param_groups": [{"lr": 0.1, "params": [0, 1]}]}
        saved = {"model": model, "optimizer": optimizer, "epoch": 3, "args": self.plain()}
        if self.chance(0.3):
            saved["ema"] = model if self.chance(0.5) else self.state_dict()
        return saved

    def long(self):
        """More values than fit the short forms of pickle's instructions."""
        flat = self.fill(torch.empty(300))
        deep = {"t": self.tensor()}
        for _ in range(self.random.randrange(100)):
            deep = {"d": deep} if self.chance(0.8) else {"d": [deep]}
        many = {f"t{i}": flat[i] for i in range(self.random.randrange(250, 300))}
        return {"deep": deep, "many": many, "list": list(range(1100)), "dict": {i: str(i) for i in range(1100)},
                "text": "x" * 70000, "t": self.tensor()}

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
