"""Finds the tensors in what torch.load returns."""
import collections

import numpy
import torch
from torch import nn

from spelling import key_name
from tensors import DTYPES, Refused, describe

DICTS = (dict, collections.OrderedDict, collections.defaultdict)


def is_read(tensor):
    """Whether the tensor is of a kind and dtype whose elements are read."""
    is_plain = tensor.layout == torch.strided and not tensor.is_quantized and tensor.device.type != "meta"
    return is_plain and tensor.dtype in DTYPES and not (tensor.is_neg() or tensor.is_conj())


def check_size(tensor, file_size):
    if tensor.numel() * tensor.element_size() > file_size:
        raise Refused("DATA_LOSS", "expand to more bytes than the file has")


class TorchTree:
    """The dictionaries of tensors below `root`, and the number of other tensors, as
    common/checkpoint/state_dict_collector.h describes them."""

    def __init__(self, root, file_size):
        self.file_size = file_size
        self.dicts = []  # Those with tensors: the paths of each, and its tensors.
        self.storages = {}  # Numbers them in the order in which state dicts use them.
        self.loose = 0
        self.seen = set()
        self.paths = {}  # Of each dictionary.
        self.others = []  # Values that are no tensor of a dictionary and no container.
        if type(root) not in DICTS and not isinstance(root, nn.Module):
            raise Refused("INVALID_ARGUMENT", "holds ")
        self.read(root)

    def read(self, root):
        self.paths[id(root)] = [""]
        self.seen.add(id(root))
        pending = [("", root)]
        while pending:
            path, container = pending.pop()
            found = []
            self.read_entries(path, container, found)
            pending += reversed(found)
        every_path = [path for paths, _ in self.dicts for path in paths]
        if len(set(every_path)) < len(every_path):
            raise Refused("INVALID_ARGUMENT", "two dictionaries have this path")
        self.count_loose()
        if not self.dicts:
            raise Refused("INVALID_ARGUMENT", "holds no ")

    def read_entries(self, path, container, found):
        """Reads a dictionary, list or tuple and adds those in it to `found`."""
        is_dict = isinstance(container, (dict, nn.Module))
        if isinstance(container, nn.Module):
            named = self.read_module(container)
        elif is_dict:
            named = [(key_name(key, i), value) for i, (key, value) in enumerate(container.items())]
            self.others += [*container, *vars(container).values()] if hasattr(container, "__dict__") else container
        else:
            named = [(str(i), value) for i, value in enumerate(container)]
        tensors, names = [], set()
        for name, value in named:
            if name in names:
                raise Refused("INVALID_ARGUMENT", "two keys of this dictionary are spelled so")
            names.add(name)
            if type(value) in DICTS or type(value) in (list, tuple) or isinstance(value, nn.Module):
                self.enter(f"{path}.{name}" if path else name, value, found)
            elif is_dict and isinstance(value, torch.Tensor):
                self.seen.add(id(value))
                if not is_read(value):
                    self.loose += 1
                    continue
                check_size(value, self.file_size)
                self.others += vars(value).values()
                tensors.append(describe(name, value, value.storage_offset(), self.number_of_storage(value)))
            elif is_dict and isinstance(value, numpy.ndarray):
                # The numbers of an array are in the pickle, once for each array.
                number = self.storages.setdefault(id(value), len(self.storages))
                tensors.append(describe(name, torch.from_numpy(value), 0, number))
            else:
                self.others.append(value)
        if tensors:
            self.dicts.append((self.paths[id(container)], tensors))

    def read_module(self, module):
        """The entries of a module's state dict. What else its modules have is for count_loose."""
        entries = list(module.state_dict(keep_vars=True).items())
        kept = {id(tensor) for _, tensor in entries}
        for part in module.modules():
            self.seen.add(id(part))
            for name, value in vars(part).items():
                if name == "_buffers":
                    self.others += [buffer for buffer in value.values() if id(buffer) not in kept]
                elif name not in ("_parameters", "_modules"):
                    self.others.append(value)
        return entries

    def number_of_storage(self, tensor):
        return self.storages.setdefault(tensor.untyped_storage()._cdata, len(self.storages)) if tensor.numel() else -1

    def enter(self, path, value, found):
        """Adds a container to `found` unless it was found before. A dictionary then has one path more."""
        if type(value) in DICTS or isinstance(value, nn.Module):
            self.paths.setdefault(id(value), []).append(path)
        if id(value) not in self.seen:
            self.seen.add(id(value))
            found.append((path, value))

    def count_loose(self):
        pending = self.others
        while pending:
            value = pending.pop()
            if isinstance(value, (torch.TypedStorage, torch.UntypedStorage)):
                self.loose += 1
            elif id(value) not in self.seen:
                self.seen.add(id(value))
                self.loose += self.count(value)
                pending += self.held_by(value)

    def count(self, value):
        """How many tensors and storages the file has for `value` alone."""
        if not isinstance(value, torch.Tensor) or value.device.type == "meta":
            return 0
        if value.layout != torch.strided:
            return 2 if value.layout == torch.sparse_coo else 3
        if value.is_quantized:
            return 1 if value.qscheme() == torch.per_tensor_affine else 3
        if is_read(value):
            check_size(value, self.file_size)
        return 1

    def held_by(self, value):
        """The values that `value`, which is no tensor of a dictionary, refers to."""
        held = []
        if isinstance(value, (list, tuple, set, frozenset)):
            held += value
        if isinstance(value, dict):
            held += [*value, *value.values()]
        if not isinstance(value, type):
            held += getattr(value, "__dict__", {}).values()
        return held
