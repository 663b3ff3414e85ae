"""Writes the small checkpoints of this folder and expected.json.

The files hold the models of plugin/, with seeded weights of seed 0, in each way in which torch.save and safetensors
write them. Made with PyTorch 2.13.0 and safetensors 0.8.0; the same releases write the same bytes again. Files that
damage makes of others are in the table only: common/checkpoint/testing/table_files.h makes them.
"""

import argparse
import hashlib
import io
import json
import math
import os
import pickle
import pickletools
import re
import struct
import sys
import types
import warnings
import zipfile

import numpy as np
import safetensors.torch
import torch

FOLDER = os.path.dirname(os.path.abspath(__file__))
DIM = 4
SHAPES = {
    "register_tokens": (1, 2, DIM),
    "mask_token": (1, DIM),
    "patch_embed.weight": (DIM, 3, 2, 2),
    "blocks.0.weight": (2 * DIM, DIM),
    "blocks.0.gamma": (DIM,),
    "blocks.1.weight": (2 * DIM, DIM),
    "blocks.1.gamma": (DIM,),
}
# Whose file most others are made of.
MODEL = "small_reg"

MASK = (1 << 64) - 1
GOLDEN = 0x9E3779B97F4A7C15


def mix(number):
    number = ((number ^ (number >> 30)) * 0xBF58476D1CE4E5B9) & MASK
    number = ((number ^ (number >> 27)) * 0x94D049BB133111EB) & MASK
    return number ^ (number >> 31)


def seeded(key, shape, seed=0):
    """The weights of rule v1 for a key of these models: common/checkpoint/seeded.h."""
    digest = 0xCBF29CE484222325
    for byte in key.encode():
        digest = ((digest ^ byte) * 0x100000001B3) & MASK
    start = mix((digest + seed * GOLDEN) & MASK)
    if len(shape) == 1:
        assert key.endswith("gamma")
        center, spread = 0.3, 0.1
    else:
        center, spread = 0.0, math.sqrt(3 / math.prod(shape[1:])) if key.endswith(".weight") else 0.2
    units = [(mix((start + i * GOLDEN) & MASK) >> 40) * 2.0**-23 - 1 for i in range(1, math.prod(shape) + 1)]
    return torch.from_numpy(np.array([center + spread * unit for unit in units], np.float32).reshape(shape))


def weights(registers=True, seed=0):
    return {key: seeded(key, shape, seed) for key, shape in SHAPES.items() if registers or key != "register_tokens"}


def package(name):
    """A Python module that classes can claim to be of, so that a pickle names it."""
    module = types.ModuleType(name)
    sys.modules[name] = module
    return module


def define(name, base):
    """A class of smallnet.model, which readers do not have."""
    made = type(name, (base,), {"__module__": "smallnet.model"})
    setattr(sys.modules["smallnet.model"], name, made)
    return made


def whole(registers=True):
    """The model as PyTorch's modules."""
    values = weights(registers)
    made = {name: define(name, torch.nn.Module) for name in ("SmallNet", "SmallPatches", "SmallBlock")}
    model = made["SmallNet"]()
    for name in ("register_tokens", "mask_token"):
        if name in values:
            model.register_parameter(name, torch.nn.Parameter(values[name]))
    model.patch_embed = made["SmallPatches"]()
    model.patch_embed.weight = torch.nn.Parameter(values["patch_embed.weight"])
    model.blocks = torch.nn.ModuleList(made["SmallBlock"]() for _ in range(2))
    for i, block in enumerate(model.blocks):
        for leaf in ("weight", "gamma"):
            block.register_parameter(leaf, torch.nn.Parameter(values[f"blocks.{i}.{leaf}"]))
    return model


def rename(values, old, new):
    return {re.sub(old, new, key): value for key, value in values.items()}


def save(name, value, **options):
    torch.save(value, os.path.join(FOLDER, name), **options)


def read(name):
    with open(os.path.join(FOLDER, name), "rb") as file:
        return file.read()


def save_legacy(name, value):
    """Saves in the format before PyTorch 1.6, with keys of storages that do not depend on addresses of memory.

    torch.save takes the decimal address of a storage as its key and sorts the storages by it. Here each key becomes one
    of as many digits, by the order in which the pickle names the storages.
    """
    file = io.BytesIO()
    torch.save(value, file, _use_new_zipfile_serialization=False)
    content = file.getvalue()
    stream = io.BytesIO(content)
    ends = []
    for _ in range(5):
        for _ in pickletools.genops(stream):
            pass
        ends.append(stream.tell())
    body, data = content[:ends[4]], content[ends[4]:]
    names = pickle.loads(content[ends[3]:ends[4]])

    class Sizes(pickle.Unpickler):
        """Finds the storages, in order, and how many bytes each has."""

        def __init__(self, stream):
            super().__init__(stream)
            self.found = {}

        def persistent_load(self, saved):
            _, kind, key, _, elements, *_ = saved
            storage = torch.storage.TypedStorage(elements, dtype=kind.dtype)
            self.found[key] = storage.nbytes()
            return storage

    sizes = Sizes(io.BytesIO(content[ends[2]:ends[3]]))
    sizes.load()
    storages, place = {}, 0
    for key in names:
        storages[key] = data[place:place + 8 + sizes.found[key]]
        place += 8 + sizes.found[key]
    assert place == len(data)
    new = {key: str(i + 10**(len(key) - 1)) for i, key in enumerate(sizes.found)}
    object_pickle, keys_pickle = body[ends[2]:ends[3]], body[ends[3]:]
    for old in sizes.found:
        object_pickle = object_pickle.replace(old.encode(), b"#" + new[old].encode()[1:])
    object_pickle = object_pickle.replace(b"#", b"1")
    for old, key in zip(names, sorted(new.values())):
        keys_pickle = keys_pickle.replace(old.encode(), b"#" + key.encode()[1:])
    keys_pickle = keys_pickle.replace(b"#", b"1")
    ordered = sorted(sizes.found, key=lambda key: new[key])
    with open(os.path.join(FOLDER, name), "wb") as out:
        out.write(body[:ends[2]] + object_pickle + keys_pickle + b"".join(storages[key] for key in ordered))
    loaded = torch.load(os.path.join(FOLDER, name), weights_only=True)
    for key, part in value.items():
        parts = [(part, loaded[key])] if torch.is_tensor(part) else []
        if isinstance(part, dict):
            parts = [(part[inner], loaded[key][inner]) for inner in part]
        for wanted, found in parts:
            assert describe(wanted) == describe(found), (name, key)


TABLE = {}


def describe(tensor):
    content = tensor.detach().contiguous().reshape(-1).view(torch.uint8).numpy().tobytes()
    return [
        str(tensor.dtype).removeprefix("torch."),
        list(tensor.shape),
        list(tensor.stride()),
        tensor.storage_offset(),
        hashlib.sha256(content).hexdigest()[:16],
    ]


def expect(name, tensors, model=MODEL, path="", prefix="", count=None, export="ok", **more):
    """A file that can be read. `tensors` are those of the model, or the name of a file with the same."""
    if not isinstance(tensors, str):
        tensors = {key: describe(value) for key, value in tensors.items()}
    if count is None:
        count = len(tensors) if not isinstance(tensors, str) else TABLE[tensors]["count"]
    TABLE[name] = {
        "model": model,
        "read": "ok",
        "export": export,
        **more,
        "path": path,
        "prefix": prefix,
        "count": count,
        "tensors": tensors
    }


def expect_error(name, code, cause, **made):
    TABLE[name] = {"model": MODEL, **made, "read": "error", "export": "error", "code": code, "cause": cause}


def make_models():
    for model, registers in (("small", False), (MODEL, True)):
        save(model + ".pth", whole(registers).state_dict())
        expect(model + ".pth", weights(registers), model)
        safetensors.torch.save_file(weights(registers), os.path.join(FOLDER, model + ".safetensors"), {"format": "pt"})
        expect(model + ".safetensors", model + ".pth", model)


def make_containers(values):
    """The dictionaries and prefixes in which weights are published."""
    plain = MODEL + ".pth"
    save("plain_dict.pth", values)
    expect("plain_dict.pth", plain)
    save("parameters.pth", whole().state_dict(keep_vars=True))
    expect("parameters.pth", plain)
    state = {"step": torch.tensor(7.0), "exp_avg": torch.full((3,), 0.5), "exp_avg_sq": torch.full((3,), 0.25)}
    optimizer = {
        "state": {i: {key: value.clone() for key, value in state.items()} for i in range(2)},
        "param_groups": [{"lr": 1e-4, "betas": (0.9, 0.999), "eps": 1e-8, "weight_decay": 0.04, "params": [0, 1]}],
    }
    save("nested_model.pth", {"model": values, "optimizer": optimizer, "epoch": 3})
    expect("nested_model.pth", plain, path="model")
    save("dataparallel_state_dict.pth", {"state_dict": rename(values, "^", "module.")})
    expect("dataparallel_state_dict.pth", plain, path="state_dict", prefix="module.")
    save("bare_dataparallel.pth", rename(values, "^", "module."))
    expect("bare_dataparallel.pth", plain, prefix="module.")
    head = {"dino_head.mlp.0.weight": torch.ones(2, DIM), "dino_head.last_layer.weight_v": torch.ones(2, 2)}
    save("teacher_backbone.pth", {"teacher": {**rename(values, "^", "backbone."), **head}})
    expect("teacher_backbone.pth", plain, path="teacher", prefix="backbone.", count=len(values) + len(head))
    student, teacher = (rename(weights(seed=seed), "^", "module.backbone.") for seed in (1, 0))
    save("teacher_student_module_backbone.pth", {"student": student, "teacher": teacher, "epoch": 3})
    expect("teacher_student_module_backbone.pth", plain, path="teacher", prefix="module.backbone.")
    chunked = rename(rename(values, r"^blocks\.(\d)", r"blocks.\1.\1"), "^", "backbone.")
    save("teacher_chunked_blocks.pth", {"teacher": chunked})
    expect("teacher_chunked_blocks.pth", chunked, path="teacher")
    arguments = argparse.Namespace(arch="small", lr=0.001)
    flags = {"amp": True, "name": "x", "t": (1, 2.5)}
    save("nested_with_namespace.pth", {
        "model": values,
        "args": arguments,
        "epoch": np.int64(3),
        "scaler": None,
        "flags": flags
    })
    expect("nested_with_namespace.pth", plain, path="model")

    class Foreign:
        """Unpickles as a call of a function that is none of torch's."""

        def __reduce__(self):
            return len, ("harmless",)

    save("foreign_global.pth", {"model": values, "x": Foreign()})
    expect("foreign_global.pth", plain, path="model")


def make_formats(values):
    save_legacy("legacy.pth", values)
    expect("legacy.pth", MODEL + ".pth")
    save_legacy("legacy_nested_model.pth", {"model": values, "epoch": 3})
    expect("legacy_nested_model.pth", MODEL + ".pth", path="model")
    for protocol in (3, 4, 5):
        save(f"pickle_protocol{protocol}.pth", values, pickle_protocol=protocol)
        expect(f"pickle_protocol{protocol}.pth", MODEL + ".pth")


def make_arrays(values):
    """Dictionaries of NumPy arrays, as detectron2's published models are."""
    arrays = {"model": {key: value.numpy() for key, value in values.items()}, "__author__": "somebody"}
    for protocol in (2, 4, 5):
        with open(os.path.join(FOLDER, f"arrays_protocol{protocol}.pkl"), "wb") as file:
            pickle.dump(arrays, file, protocol)
        expect(f"arrays_protocol{protocol}.pkl", MODEL + ".pth", path="model")
    save("arrays.pth", arrays)
    expect("arrays.pth", MODEL + ".pth", path="model")
    columns = {key: np.asfortranarray(value.numpy()) for key, value in values.items()}
    with open(os.path.join(FOLDER, "arrays_by_column.pkl"), "wb") as file:
        pickle.dump(columns, file, 4)
    expect("arrays_by_column.pkl", {key: torch.from_numpy(value) for key, value in columns.items()})


def make_dtypes(values):
    for name, dtype in (("fp16", torch.float16), ("bf16", torch.bfloat16)):
        converted = {key: value.to(dtype) for key, value in values.items()}
        save(name + ".pth", converted)
        expect(name + ".pth", converted)
        safetensors.torch.save_file(converted, os.path.join(FOLDER, name + ".safetensors"), {"format": "pt"})
        expect(name + ".safetensors", name + ".pth")
        save_legacy(f"legacy_{name}.pth", converted)
        expect(f"legacy_{name}.pth", name + ".pth")
    converted = {key: value.to(torch.float64) for key, value in values.items()}
    save("fp64.pth", converted)
    expect("fp64.pth", converted)
    dtypes = (torch.float16, torch.bfloat16, torch.float32)
    mixed = {key: value.to(dtypes[i % 3]) for i, (key, value) in enumerate(values.items())}
    save("mixed_dtypes.pth", mixed)
    expect("mixed_dtypes.pth", mixed)


def make_storages(values):
    """Tensors that do not fill a storage of their own from the first element to the last."""
    views = dict(values)
    views["patch_embed.weight"] = values["patch_embed.weight"].to(memory_format=torch.channels_last)
    views["blocks.0.weight"] = values["blocks.0.weight"].t().contiguous().t()
    views["blocks.1.weight"] = views["blocks.0.weight"]
    views["blocks.0.gamma"] = torch.zeros(5 + 2 * DIM)[5::2]
    views["blocks.0.gamma"].copy_(values["blocks.0.gamma"])
    views["blocks.1.gamma"] = torch.full((1,), 0.25).expand(DIM)
    both = torch.zeros(20)
    views["mask_token"] = both[3:3 + DIM].view(1, DIM)
    views["register_tokens"] = both[9:9 + 2 * DIM].view(1, 2, DIM)
    for key in ("mask_token", "register_tokens"):
        views[key].copy_(values[key])
    save("strided_shared.pth", views)
    expect("strided_shared.pth", views)
    save_legacy("legacy_strided_shared.pth", views)
    expect("legacy_strided_shared.pth", "strided_shared.pth")
    flat, parts, place = torch.cat([value.flatten() for value in values.values()]), {}, 0
    for key, value in values.items():
        parts[key] = flat[place:place + value.numel()].view(value.shape)
        place += value.numel()
    save("flat_storage.pth", parts)
    expect("flat_storage.pth", parts)
    save_legacy("legacy_flat_storage.pth", parts)
    expect("legacy_flat_storage.pth", "flat_storage.pth")


def make_misfits(values):
    """Files that can be read and do not fit the model, or lack what it can do without."""

    def without(key):
        return {other: value for other, value in values.items() if other != key}

    def misfit(name, tensors, **why):
        save(name, tensors)
        expect(name, tensors, export="error", **why)

    misfit("extra_key.pth", {**values, "head.weight": torch.ones(3, DIM), "head.bias": torch.ones(3)},
           unexpected=["head.weight", "head.bias"])
    misfit("missing_key.pth", without("blocks.1.gamma"), missing=["blocks.1.gamma"])
    misfit("wrong_shape.pth", {**values, "patch_embed.weight": torch.ones(DIM, 3, 3, 3)},
           wrong_shape=["patch_embed.weight"])
    turned = values["blocks.1.weight"].reshape(DIM, 2 * DIM).clone()
    misfit("wrong_shape_same_numel.pth", {**values, "blocks.1.weight": turned}, wrong_shape=["blocks.1.weight"])
    nan = values["blocks.1.gamma"].clone()
    nan[2] = math.nan
    misfit("nan_weight.pth", {**values, "blocks.1.gamma": nan})
    save("no_reg_tokens.pth", without("register_tokens"))
    expect("no_reg_tokens.pth", "small.pth", export="error", missing=["register_tokens"])
    save("no_mask_token.pth", without("mask_token"))
    expect("no_mask_token.pth", without("mask_token"), missing=["mask_token"])


def make_no_state_dicts():
    save("empty_dict.pth", {})
    expect_error("empty_dict.pth", "INVALID_ARGUMENT", "no tensors")
    save("list_not_dict.pth", [torch.zeros(2)])
    expect_error("list_not_dict.pth", "INVALID_ARGUMENT", "a list, not a state dict")
    save("bare_tensor.pth", torch.zeros(2, 3))
    expect_error("bare_tensor.pth", "INVALID_ARGUMENT", "a single tensor, not a state dict")
    save("whole_model.pth", whole())
    expect("whole_model.pth", MODEL + ".pth")


def place_of(archive, record):
    """Where the bytes of a record stand in a file of torch.save."""
    content = read(archive)
    info = zipfile.ZipFile(io.BytesIO(content)).getinfo(record)
    name, extra = struct.unpack_from("<HH", content, info.header_offset + 26)
    return info.header_offset + 30 + name + extra, info.file_size


def damage():
    """Files that the tests make, so that they stay beside what they are made of."""
    pth, legacy, plain = MODEL + ".pth", "legacy.pth", MODEL + ".safetensors"
    size = len(read(pth))
    expect_error("truncated_half.pth", "DATA_LOSS", "truncated zip archive", of=pth, keep=size // 2)
    expect_error("truncated_tail.pth", "DATA_LOSS", "truncated zip archive", of=pth, keep=size - 40)
    elements = math.prod(SHAPES["blocks.0.weight"])
    content = read(legacy)
    needle = seeded("blocks.0.weight", SHAPES["blocks.0.weight"]).numpy().tobytes()
    expect_error("truncated_legacy.pth", "DATA_LOSS", f"truncated: wants {elements} elements of 4 bytes", of=legacy,
                 keep=content.index(needle) + len(needle) // 2)
    content = read(plain)
    header = struct.unpack_from("<Q", content)[0]
    data = len(content) - 8 - header
    keep = len(content) // 2 + header // 2
    expect_error("truncated.safetensors", "DATA_LOSS",
                 f"truncated: the tensors take {data} bytes, the file has {keep - 8 - header}", of=plain, keep=keep)
    expect_error("truncated_header.safetensors", "DATA_LOSS",
                 f"truncated: the header wants {header} bytes, the file has 92", of=plain, keep=100)
    expect_error("bad_header_len.safetensors", "DATA_LOSS", f"header length {MASK} is more than 100 MB", of=plain,
                 put=[0, "ff" * 8])
    expect_error("empty_file.pth", "DATA_LOSS", "empty file", of=pth, keep=0)
    expect_error("lfs_pointer.pth", "INVALID_ARGUMENT", "Git LFS pointer",
                 text=f"version https://git-lfs.github.com/spec/v1\noid sha256:{'0' * 64}\nsize 99173660\n")
    expect_error("html_page.pth", "INVALID_ARGUMENT", "web page",
                 text="<!DOCTYPE html>\n<html><body>403 Forbidden</body></html>\n")
    # A value of blocks.0.weight.
    record = f"{MODEL}/data/{list(SHAPES).index('blocks.0.weight')}"
    place, length = place_of(pth, record)
    content = bytearray(read(pth))
    good = zipfile.crc32(content[place:place + length])
    content[place + length // 2] ^= 0x10
    bad = zipfile.crc32(content[place:place + length])
    flipped = weights()
    flipped["blocks.0.weight"] = torch.frombuffer(content[place:place + length], dtype=torch.float32).reshape(
        SHAPES["blocks.0.weight"])
    expect("flipped_payload.pth", flipped, export="error", of=pth,
           put=[place + length // 2, f"{content[place + length // 2]:02x}"],
           crc32=f"{record}: CRC-32 wants {good:08x}, has {bad:08x}")


ABOUT = [
    "What a reader and an export must make of each file here.",
    "read, export: ok or error; an error of read has this code and names this cause.",
    "path, prefix: the dictionary with the model's weights, and what stands before each key in it; count: its tensors.",
    "tensors: key without prefix: [dtype, shape, strides, offset, first 16 hex digits of the sha256 of its row-major bytes],",
    "or the name of a file with the same ones. missing, unexpected, wrong_shape: why the export to the model fails.",
    "of: tests make the file of this one, of which they keep so many bytes, or put the bytes, in hexadecimal digits, at the place;",
    "text: they write it. crc32: the record whose bytes differ from their checksum, and both. make.py writes this table.",
]


def write_table():
    def text(value):
        return json.dumps(value, separators=(", ", ": "))

    def compact(value):
        return json.dumps(value, separators=(",", ":"))

    lines = ["{", ' "about": [', ",\n".join(f"  {text(line)}" for line in ABOUT), " ],"]
    lines.append(' "seeds": {"small": 0, "small_reg": 0},')
    lines.append(' "files": {')
    files = []
    for name, file in TABLE.items():
        fields = {key: value for key, value in file.items() if key != "tensors"}
        line = f"  {text(name)}: {text(fields)[:-1]}"
        if isinstance(file.get("tensors"), str):
            line += f', "tensors": {text(file["tensors"])}'
        elif "tensors" in file:
            tensors = [f"   {text(key)}: {compact(value)}" for key, value in file["tensors"].items()]
            line += ', "tensors": {\n' + ",\n".join(tensors) + "}"
        files.append(line + "}")
    lines.append(",\n".join(files) + "}")
    lines.append("}")
    with open(os.path.join(FOLDER, "expected.json"), "w") as file:
        file.write("\n".join(lines) + "\n")
    with open(os.path.join(FOLDER, "expected.json")) as file:
        assert json.load(file)["files"] == json.loads(json.dumps(TABLE))


def main():
    # What save_legacy reads back names storages by their old classes.
    warnings.filterwarnings("ignore", "TypedStorage is deprecated")
    package("smallnet")
    package("smallnet.model")
    values = weights()
    make_models()
    make_containers(values)
    make_formats(values)
    make_arrays(values)
    make_dtypes(values)
    make_storages(values)
    make_misfits(values)
    make_no_state_dicts()
    damage()
    write_table()


if __name__ == "__main__":
    main()
