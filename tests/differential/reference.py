"""What PyTorch's and safetensors' own readers read in a checkpoint, and what Modelport refuses by design."""
import itertools
import json
import struct
import zipfile

import safetensors
import torch

from spelling import printable
from tensors import Refused, describe
from torch_tree import TorchTree

# The name of a file whose pickle has been edited.
EDITED = "edited.pth"

# PyTorch's kernels take no tensors of more dimensions.
MAX_RANK = 64


def result(dicts, loose=0, metadata=None):
    return {"dicts": [{"paths": sorted(paths), "tensors": tensors} for paths, tensors in dicts], "loose": loose,
            "metadata": dict(sorted((metadata or {}).items()))}


def read_torch(path):
    # The files are the generator's own, so their pickles may run, but for edited ones. weights_only=True refuses the
    # protocols 4 and 5.
    root = torch.load(path, map_location="cpu", weights_only=path.name == EDITED)
    if zipfile.is_zipfile(path) and any(record.compress_type for record in zipfile.ZipFile(path).infolist()):
        raise Refused("UNIMPLEMENTED", "a compressed record")
    tree = TorchTree(root, path.stat().st_size)
    return result(tree.dicts, tree.loose)


def header_keys(path):
    """The keys of a safetensors file in the order of its header. Modelport refuses some headers that the library takes:
    those with whitespace in front or keys that occur twice, which the format's description forbids, and fields that it
    does not have."""
    data = path.read_bytes()
    if data[8:9] != b"{":
        raise Refused("", "")  # What such a file seems to be depends on the length of its header.
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
    # The format knows no strides: each tensor has data of its own, in row-major order.
    numbers = itertools.count()
    described = [describe(printable(key), tensors[key], 0, next(numbers) if tensors[key].numel() else -1)
                 for key in keys]
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
    """What Modelport must make of the checkpoint `path`, as compare.h describes it."""
    try:
        reads = {"reads": read_file(path)}
        return reads | {"or_refused": True} if path.name == EDITED else reads
    except Refused as refusal:
        return {"refused": list(refusal.args)}
    except safetensors.SafetensorError:
        return {"refused": ["", ""]}
    except RuntimeError as error:
        # torch.save writes archives whose storages are no multiple of the dtype's size, and torch.load refuses them.
        if "does not match expected size" not in str(error):
            raise
        return {"refused": ["", ""]}
