"""Writes random checkpoints in every format. Each function returns the file to open."""
import io
import json
import re
import struct
import zipfile

import safetensors.torch
import torch
from torch.utils.serialization import config

from reference import Refused, is_wrong_size, load_by_torch, row_major_bytes
from values import Values

# Characters for edits of a header: JSON's own, and what it does not allow.
EDITS = [character.encode() for character in '0123456789{}[]",:.-+eE\\ \n\t\0ntf/'] + [b"\x80", b"\xff", b"\xc3\xa4", b"\xed\xa0\x80", b"\xef\xbb\xbf"]

# As safetensors spells them.
DTYPE_NAMES = {torch.float64: "F64", torch.float32: "F32", torch.float16: "F16", torch.bfloat16: "BF16", torch.int64: "I64", torch.int32: "I32",
               torch.int16: "I16", torch.int8: "I8", torch.uint8: "U8", torch.bool: "BOOL", torch.uint16: "U16", torch.uint32: "U32",
               torch.uint64: "U64", torch.complex64: "C64", torch.float8_e4m3fn: "F8_E4M3"}

FIELDS = ["dtype", "shape", "data_offsets"]


def save_by_torch(random, value, path):
    """torch.save with random settings. Zip archives have the name of the saved file inside."""
    protocol, legacy = random.choice([2, 2, 3, 4, 5]), random.random() < 0.35
    config.save.storage_alignment = random.choice([64, 64, 64, 1, 8, 512])
    torch.serialization.set_crc32_options(random.random() < 0.95)
    if random.random() < 0.5:
        file = path.with_name(random.choice(["plain.pth", "two.dots.bin", "a b.ckpt", "größe.pth", "data", "no_suffix"]))
        torch.save(value, file, pickle_protocol=protocol, _use_new_zipfile_serialization=not legacy)
        file.rename(path)
    else:
        file = io.BytesIO()
        torch.save(value, file, pickle_protocol=protocol, _use_new_zipfile_serialization=not legacy)
        path.write_bytes(file.getvalue())


def pack_again(random, path):
    """Unpacks the archive of torch.save and packs it with another program, which may compress and which has its own order of records."""
    method = random.choice([zipfile.ZIP_STORED, zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
    with zipfile.ZipFile(path) as archive:
        records = [(zipfile.ZipInfo(name), archive.read(name)) for name in archive.namelist()]
    top = records[0][0].filename.split("/")[0]
    if random.random() < 0.5:
        random.shuffle(records)
    if random.random() < 0.5:
        records = [(zipfile.ZipInfo(f"{top}/"), b""), (zipfile.ZipInfo(f"{top}/data/"), b""), *records]
    with zipfile.ZipFile(path, "w") as archive:
        for info, content in records:
            archive.writestr(info, content, method)


def torch_file(random, folder):
    """A tree of torch.save. Drawn anew are trees with a storage of two dtypes, which torch.save refuses, and trees with a storage without a dtype in
    the legacy format, for which torch.load fails by a mistake of its own."""
    path = folder / "checkpoint.pth"
    while True:
        try:
            save_by_torch(random, Values(random).root(), path)
            if not zipfile.is_zipfile(path):
                load_by_torch(path)
            elif random.random() < 0.05 and torch.serialization.get_crc32_options():
                pack_again(random, path)
            return path
        except Refused:
            return path
        except (AttributeError, RuntimeError) as error:
            if is_wrong_size(error):
                return path
            if not re.search("view the same data as different types|UntypedStorage' has no attribute 'dtype'", str(error)):
                raise


def flat_tensors(random):
    """A state dict of contiguous tensors, as safetensors takes it."""
    values = Values(random)
    tensors = {}
    for _ in range(random.choice([0, 1, 2, 3, 4, 5, 6, 7, 8])):
        key = values.key()
        if isinstance(key, str) and "\ud800" not in key:
            tensors[key] = values.tensor().detach().clone(memory_format=torch.contiguous_format)
    if tensors and random.random() < 0.05:
        tensors["unsupported"] = torch.zeros(2, dtype=random.choice([torch.uint16, torch.uint32, torch.uint64, torch.complex64, torch.float8_e4m3fn]))
    if random.random() < 0.02:
        tensors["like\t"], tensors["like\\t"] = torch.ones(1), torch.ones(1)
    return tensors


def metadata(random):
    return random.choice([None, {"format": "pt"}, {"größe": "a\"b\n", "": ""}])


def header_and_data(random, tensors):
    """The parts of a safetensors file in an order of entries and data that the library does not write itself."""
    keys = list(tensors)
    random.shuffle(keys)
    header, data = {}, b""
    for key in keys:
        raw = row_major_bytes(tensors[key])
        entry = {"dtype": DTYPE_NAMES[tensors[key].dtype], "shape": list(tensors[key].shape), "data_offsets": [len(data), len(data) + len(raw)]}
        data += raw
        header[key] = {field: entry[field] for field in random.sample(FIELDS, 3)}
    entries = list(header.items())
    random.shuffle(entries)
    about = metadata(random)
    if about is not None:
        entries.insert(random.randrange(len(entries) + 1), ("__metadata__", about))
    return dict(entries), data


def fault_of_an_entry(random, header):
    """Changes one field of one entry to a value that may be wrong."""
    keys = [key for key in header if key != "__metadata__"]
    if not keys:
        return
    entry = header[random.choice(keys)]
    field = random.choice(FIELDS)
    old = entry[field]
    entry[field] = random.choice({
        "dtype": ["F32", "F64", "I8", "f32", "F8_E4M3", "U16", "", 32, None],
        "shape": [[], [0], [1] * 64, [1], [*old, 1] if field == "shape" else [], [-1], [2**63], [2**32, 2**32], [2**64], [1.0], ["1"], [1] * 65, 1, None],
        "data_offsets": [[0, 0], [0], [0, 1, 2], [1, 0], [0, 2**63], [0, 2**64], [-1, 0], ["0", "1"], {"0": 1}, None],
    }[field])
    if random.random() < 0.2:
        entry[random.choice(["extra", "DTYPE", ""])] = 1
    if random.random() < 0.2:
        del entry[field]


def fault_of_the_metadata(random, header):
    header["__metadata__"] = random.choice([{}, None, [], "text", {"a": 1}, {"a": None}, {"a": {}}, {"dtype": "F32", "shape": [], "data_offsets": [0, 4]}])


def edited(random, text):
    """`text` with a few bytes replaced, added or removed."""
    for _ in range(random.choice([1, 1, 1, 2, 3])):
        i = random.randrange(len(text) + 1)
        text = text[:i] + random.choice([b"", random.choice(EDITS)]) + text[i + random.choice([0, 1]):]
    return text


def written_by_hand(random, tensors):
    """A safetensors file as another library, or an attacker, may write it."""
    header, data = header_and_data(random, tensors)
    fault = random.choice([None, None, None, "entry", "entry", "metadata", "edit", "edit", "edit", "twice", "bytes", "length"])
    if fault == "entry":
        fault_of_an_entry(random, header)
    if fault == "metadata":
        fault_of_the_metadata(random, header)
    text = json.dumps(header, ensure_ascii=random.random() < 0.5, indent=random.choice([None, None, 1])).encode()
    if fault == "edit":
        text = edited(random, text)
    if fault == "twice":
        text = text[:-1] + random.choice([b',"a":{"dtype":"U8","shape":[0],"data_offsets":[0,0]}', b',"__metadata__":{}', b',"__metadata__":{"a":"1","a":"2"}']) * 2 + b"}"
    text = random.choice([b"", b"", b"", b" ", b"\n"]) + text + random.choice([b"", b"", b" " * (-len(text) % 8), b"\n", b"\0"])
    length = len(text) + (random.choice([-1, 1, 8, 2**32, 2**63]) if fault == "length" else 0)
    if fault == "bytes":
        data = random.choice([data + b"\0", data[:-1], b""])
    return struct.pack("<Q", length) + text + data


def safetensors_file(random, folder):
    path = folder / "checkpoint.safetensors"
    tensors = flat_tensors(random)
    if random.random() < 0.4:
        safetensors.torch.save_file(tensors, path, metadata(random))
    else:
        path.write_bytes(written_by_hand(random, tensors))
    return path


def split(random, tensors):
    """The tensors in one to four parts, none empty."""
    parts = {}
    for key, tensor in tensors.items():
        parts.setdefault(random.randrange(4), {})[key] = tensor
    return list(parts.values())


def write_index(random, folder, name, shards):
    """The index that transformers writes beside shards; `shards` maps their names to their keys."""
    weight_map = {key: shard for shard, keys in shards.items() for key in keys}
    index = {"metadata": random.choice([{}, {"total_size": 1}, {"weight_map": {"a": [1, {}]}}]), "weight_map": weight_map}
    if random.random() < 0.5:
        index = {"weight_map": dict(random.sample(list(weight_map.items()), len(weight_map))), **index}
    path = folder / name
    path.write_text(json.dumps(index, ensure_ascii=random.random() < 0.5, indent=random.choice([None, 2])))
    return path


def sharded_safetensors(random, folder):
    tensors = flat_tensors(random) or {"t": torch.ones(1)}
    shards = {}
    for i, part in enumerate(split(random, tensors)):
        name = f"{random.choice(['model', 'a b', 'größe'])}-{i + 1:05}.safetensors"
        safetensors.torch.save_file(part, folder / name, metadata(random))
        shards[name] = part
    return write_index(random, folder, "model.safetensors.index.json", shards)


def sharded_torch(random, folder):
    values = Values(random)
    tensors = {key: value for key, value in values.state_dict().items() if isinstance(key, str)}
    if random.random() < 0.1:
        tensors["extra"] = random.choice([{"t": values.tensor()}, [values.tensor()]])
    shards = {}
    for i, part in enumerate(split(random, tensors)):
        name = f"pytorch_model-{i + 1:05}.bin"
        save_by_torch(random, part, folder / name)
        shards[name] = part
    return write_index(random, folder, "pytorch_model.bin.index.json", shards)


def write_checkpoint(random, folder):
    """Writes one checkpoint to `folder`, which is empty."""
    kinds = {torch_file: 12, safetensors_file: 6, sharded_safetensors: 1, sharded_torch: 1}
    kind, = random.choices(list(kinds), kinds.values())
    return kind(random, folder)
