"""What PyTorch's and safetensors' own readers read, as Modelport's reader has to describe it, and what Modelport refuses by design."""
import collections
import hashlib
import itertools
import json
import pathlib
import struct
import zipfile

import safetensors
import torch

DTYPES = [torch.float64, torch.float32, torch.float16, torch.bfloat16, torch.int64, torch.int32, torch.int16, torch.int8, torch.uint8, torch.bool]

MAX_RANK = 64

DICTS = (dict, collections.OrderedDict, collections.defaultdict)

# common/text/printable.cc
HIDDEN = [(0x80, 0x9f), (0xad, 0xad), (0x61c, 0x61c), (0x180e, 0x180e), (0x200b, 0x200f), (0x2028, 0x202e), (0x2060, 0x206f), (0xfeff, 0xfeff),
          (0xfff9, 0xfffb), (0xe0000, 0xe007f)]


def printable(text):
    """`text` as Printable() of common/text writes it."""
    out = []
    for character in text:
        code = ord(character)
        if character in "\n\r\t":
            out.append({"\n": "\\n", "\r": "\\r", "\t": "\\t"}[character])
        elif code < 0x20 or code == 0x7f or 0xd800 <= code < 0xe000:
            out += [f"\\x{byte:02x}" for byte in character.encode("utf-8", "surrogatepass")]
        elif any(first <= code <= last for first, last in HIDDEN):
            out.append(f"\\u{{{code:x}}}")
        else:
            out.append(character)
    return "".join(out)


def key_name(key, index):
    """The name of an entry, the `index`-th of its dictionary."""
    if isinstance(key, str):
        return printable(key)
    if isinstance(key, (bool, int)):
        return str(key)
    kind = {type(None): "None", tuple: "a tuple"}.get(type(key), "a plain value")
    return f"<{kind}, key {index}>"


class Refused(Exception):
    """Modelport refuses the checkpoint by design, with this code and a message that contains the text."""

    def __init__(self, code, text):
        super().__init__(code, text)


def dtype_name(tensor):
    return str(tensor.dtype).removeprefix("torch.")


def row_major_bytes(tensor):
    return tensor.detach().clone(memory_format=torch.contiguous_format).reshape(-1).view(torch.uint8).numpy().tobytes()


def describe(key, tensor, offset, storage):
    """The line of expected.json for a tensor. One without elements has no place in a storage."""
    offset, storage = (offset, storage) if tensor.numel() else (0, -1)
    digest = hashlib.sha256(row_major_bytes(tensor)).hexdigest()[:16]
    return [key, dtype_name(tensor), list(tensor.shape), list(tensor.stride()), offset, storage, digest]


def check_supported(tensor, file_size):
    if tensor.layout != torch.strided or tensor.is_quantized or tensor.device.type == "meta":
        raise Refused("UNIMPLEMENTED", "a tensor made by torch._utils._rebuild_")
    if tensor.dtype not in DTYPES:
        raise Refused("UNIMPLEMENTED", f"{dtype_name(tensor)} is not supported")
    if tensor.is_neg():
        raise Refused("UNIMPLEMENTED", "a tensor that is negated or conjugated when read is not supported")
    if tensor.numel() * tensor.element_size() > file_size:
        raise Refused("DATA_LOSS", "expand to more bytes than the file has")


class TorchTree:
    """Finds the tensors of what torch.load returned, in the order of common/checkpoint/state_dict_collector.h."""

    def __init__(self, root, file_size):
        self.file_size = file_size
        self.dicts = []  # Those with tensors: the paths of each, and its tensors.
        self.storages = {}  # Numbers them in the order in which state dicts use them.
        self.loose = 0
        self.seen = set()
        self.paths = {}  # Of each dictionary.
        self.others = []  # Values that are no tensor of a dictionary and no container.
        if not isinstance(root, DICTS) or type(root) not in DICTS:
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
        is_dict = isinstance(container, dict)
        if is_dict:
            named = [(key_name(key, i), value) for i, (key, value) in enumerate(container.items())]
            self.others += [*container, *vars(container).values()] if hasattr(container, "__dict__") else container
        else:
            named = [(str(i), value) for i, value in enumerate(container)]
        tensors, names = [], set()
        for name, value in named:
            if name in names:
                raise Refused("INVALID_ARGUMENT", "two keys of this dictionary are spelled so")
            names.add(name)
            if type(value) in DICTS or type(value) in (list, tuple):
                self.enter(f"{path}.{name}" if path else name, value, found)
            elif is_dict and isinstance(value, torch.Tensor):
                check_supported(value, self.file_size)
                self.seen.add(id(value))
                self.others += vars(value).values()
                tensors.append(describe(name, value, value.storage_offset(), self.number_of_storage(value)))
            else:
                self.others.append(value)
        if tensors:
            self.dicts.append((self.paths[id(container)], tensors))

    def number_of_storage(self, tensor):
        return self.storages.setdefault(tensor.untyped_storage()._cdata, len(self.storages)) if tensor.numel() else -1

    def enter(self, path, value, found):
        if type(value) in DICTS:
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
        if value.dtype in DTYPES and not value.is_neg():
            check_supported(value, self.file_size)
        return 1

    def held_by(self, value):
        held = []
        if isinstance(value, (list, tuple, set, frozenset)):
            held += value
        if isinstance(value, dict):
            held += [*value, *value.values()]
        if not isinstance(value, type):
            held += getattr(value, "__dict__", {}).values()
        return held


def result(dicts, loose=0, metadata=None):
    return {"dicts": [{"paths": sorted(paths), "tensors": tensors} for paths, tensors in dicts], "loose": loose, "metadata": metadata or {}}


def is_wrong_size(error):
    """torch.save writes storages whose size is no multiple of the dtype's. torch.load refuses them with this error."""
    return "does not match expected size" in str(error) or "storage has wrong byte size" in str(error)


def load_by_torch(path):
    """What torch.load returns. The files are the generator's own, so their pickles may run: weights_only=True refuses the protocols 4 and 5."""
    with path.open("rb") as file:
        root = torch.load(file, map_location="cpu", weights_only=False)
        if not zipfile.is_zipfile(path) and file.read(1):
            raise Refused("DATA_LOSS", "follow the last storage")
    return root


def read_torch(path):
    root = load_by_torch(path)
    if zipfile.is_zipfile(path) and any(record.compress_type for record in zipfile.ZipFile(path).infolist()):
        raise Refused("UNIMPLEMENTED", "a compressed record")
    tree = TorchTree(root, path.stat().st_size)
    return result(tree.dicts, tree.loose)


def header_keys(path):
    """The keys of a safetensors file in the order of its header. Modelport refuses headers that the format's description forbids or does not
    describe, although the reader takes them."""
    data = path.read_bytes()
    if data[8:9] != b"{":
        raise Refused("INVALID_ARGUMENT", "neither torch.save nor safetensors wrote this file")
    size, = struct.unpack("<Q", data[:8])
    names = []
    for key, entry in json.loads(data[8:8 + size], object_pairs_hook=list):
        fields = dict(entry or [])
        if printable(key) in names or len(fields) < len(entry or []):
            raise Refused("DATA_LOSS", "occurs twice")
        names.append(printable(key))
        if key != "__metadata__" and not fields.keys() <= {"dtype", "shape", "data_offsets"}:
            raise Refused("DATA_LOSS", "unknown field")
        if key != "__metadata__" and len(fields["shape"]) > MAX_RANK:
            raise Refused("DATA_LOSS", "shape has more than 64 numbers")
    return [key for key, _ in json.loads(data[8:8 + size], object_pairs_hook=list) if key != "__metadata__"]


def read_safetensors(path):
    with safetensors.safe_open(path, "pt") as file:
        tensors = {key: file.get_tensor(key) for key in file.keys()}
        metadata = file.metadata()
    keys = header_keys(path)
    if not tensors:
        raise Refused("INVALID_ARGUMENT", "holds no tensors")
    for tensor in tensors.values():
        if tensor.dtype not in DTYPES:
            raise Refused("UNIMPLEMENTED", " is not supported")
    # The format knows no strides: each tensor has data of its own, in row-major order.
    numbers = itertools.count()
    described = [describe(printable(key), tensors[key], 0, next(numbers) if tensors[key].numel() else -1) for key in keys]
    return result([([""], described)], metadata=metadata)


def read_shards(index):
    """The shards that an index names, in the order of their names, as one state dict."""
    weight_map = json.loads(index.read_text())["weight_map"]
    if len({printable(key) for key in weight_map}) < len(weight_map):
        raise Refused("DATA_LOSS", "occurs twice")
    tensors, metadata, storages = [], {}, 0
    for name in sorted(set(weight_map.values())):
        part = read_file(index.parent / name)
        if len(part["dicts"]) != 1 or part["dicts"][0]["paths"] != [""] or part["loose"]:
            raise Refused("INVALID_ARGUMENT", "holds more than one dictionary of tensors")
        metadata = part["metadata"] | metadata
        for key, dtype, shape, strides, offset, storage, digest in part["dicts"][0]["tensors"]:
            tensors.append([key, dtype, shape, strides, offset, storages + storage if storage >= 0 else -1, digest])
        storages = max(storages, *(tensor[5] + 1 for tensor in tensors))
    return result([([""], tensors)], metadata=metadata)


def read_file(path):
    if path.name.endswith(".json"):
        return read_shards(path)
    return read_safetensors(path) if path.suffix == ".safetensors" else read_torch(path)


def expect(path):
    """What Modelport must make of the checkpoint `path`: {"reads": ...} or {"refused": [code, text]}, both empty where the reference reader
    refuses it, too."""
    try:
        return {"reads": read_file(pathlib.Path(path))}
    except Refused as refusal:
        return {"refused": list(refusal.args)}
    except (RuntimeError, safetensors.SafetensorError) as error:
        if isinstance(error, RuntimeError) and not is_wrong_size(error):
            raise
        return {"refused": ["", ""]}
