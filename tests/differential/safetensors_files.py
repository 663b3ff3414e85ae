"""Writes random safetensors files, right ones and wrong ones."""
import json
import struct

import safetensors.torch
import torch

from tensors import row_major_bytes
from values import Values

# Replacements of bytes of a header: JSON's own characters, and what is not allowed.
EDITS = [character.encode() for character in '0123456789{}[]",:.-+eE\\ \n\t\0ntf/']
EDITS += [b"\x80", b"\xff", b"\xc3\xa4", b"\xed\xa0\x80", b"\xef\xbb\xbf"]

# Entries of a header that must not occur twice.
TWICE = [b',"a":{"dtype":"U8","shape":[0],"data_offsets":[0,0]}', b',"__metadata__":{}',
         b',"__metadata__":{"a":"1","a":"2"}']

# As safetensors spells them.
DTYPE_NAMES = {torch.float64: "F64", torch.float32: "F32", torch.float16: "F16", torch.bfloat16: "BF16",
               torch.int64: "I64", torch.int32: "I32", torch.int16: "I16", torch.int8: "I8", torch.uint8: "U8",
               torch.bool: "BOOL", torch.uint16: "U16", torch.uint32: "U32", torch.uint64: "U64",
               torch.complex64: "C64", torch.float8_e4m3fn: "F8_E4M3", torch.float8_e5m2: "F8_E5M2",
               torch.float8_e4m3fnuz: "F8_E4M3FNUZ", torch.float8_e5m2fnuz: "F8_E5M2FNUZ",
               torch.float8_e8m0fnu: "F8_E8M0"}

FIELDS = ["dtype", "shape", "data_offsets"]


def flat_tensors(random):
    """A state dict of contiguous tensors, as safetensors takes it."""
    values = Values(random)
    tensors = {}
    for _ in range(random.choice([0, 1, 2, 3, 4, 5, 6, 7, 8])):
        key = values.key()
        tensor = values.tensor()
        if isinstance(key, str) and "\ud800" not in key and tensor.dtype in DTYPE_NAMES:
            tensors[key] = tensor.detach().clone(memory_format=torch.contiguous_format)
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
        entry = {"dtype": DTYPE_NAMES[tensors[key].dtype], "shape": list(tensors[key].shape),
                 "data_offsets": [len(data), len(data) + len(raw)]}
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
    entry[field] = random.choice({
        "dtype": ["F32", "F64", "I8", "f32", "F8_E4M3", "U16", "", 32, None],
        "shape": [[], [0], [1] * 64, [1] * 65, [1], [-1], [2**63], [2**32, 2**32], [2**64], [1.0], ["1"], 1, None],
        "data_offsets": [[0, 0], [0], [0, 1, 2], [1, 0], [0, 2**63], [0, 2**64], [-1, 0], ["0", "1"], {"0": 1},
                         None],
    }[field])
    if random.random() < 0.2:
        entry[random.choice(["extra", "DTYPE", ""])] = 1
    if random.random() < 0.2:
        del entry[field]


def fault_of_the_metadata(random, header):
    tensor = {"dtype": "F32", "shape": [], "data_offsets": [0, 4]}
    header["__metadata__"] = random.choice([{}, None, [], "text", {"a": 1}, {"a": None}, {"a": {}}, tensor])


def edited(random, text):
    """`text` with a few bytes replaced, added or removed."""
    for _ in range(random.choice([1, 1, 1, 2, 3])):
        i = random.randrange(len(text) + 1)
        text = text[:i] + random.choice([b"", random.choice(EDITS)]) + text[i + random.choice([0, 1]):]
    return text


def written_by_hand(random, tensors):
    """A safetensors file as another library, or an attacker, may write it."""
    header, data = header_and_data(random, tensors)
    faults = ["entry", "entry", "metadata", "edit", "edit", "edit", "twice", "bytes", "length"]
    fault = random.choice([None, None, None, *faults])
    if fault == "entry":
        fault_of_an_entry(random, header)
    if fault == "metadata":
        fault_of_the_metadata(random, header)
    ascii_only, indent = random.random() < 0.5, random.choice([None, None, 1])
    text = json.dumps(header, ensure_ascii=ascii_only, indent=indent).encode()
    if fault == "edit":
        text = edited(random, text)
    if fault == "twice":
        text = text[:-1] + random.choice(TWICE) * 2 + b"}"
    text = random.choice([b"", b"", b"", b" ", b"\n"]) + text
    text += random.choice([b"", b"", b" " * (-len(text) % 8), b"\n", b"\0"])
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
