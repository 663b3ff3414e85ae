"""Writes random files of torch.save."""
import io
import re
import zipfile

import torch
from torch.utils.serialization import config

from reference import EDITED, expect, is_wrong_size, load_by_torch
from tensors import Refused
from values import Values


def save_by_torch(random, value, path):
    """torch.save with random settings. Zip archives have the name of the saved file inside."""
    protocol, legacy = random.choice([2, 2, 3, 4, 5]), random.random() < 0.35
    config.save.storage_alignment = random.choice([64, 64, 64, 1, 8, 512])
    torch.serialization.set_crc32_options(random.random() < 0.95)
    if random.random() < 0.5:
        file = path.with_name(random.choice(["plain.pth", "two.dots.bin", "a b.ckpt", "größe.pth", "data"]))
        torch.save(value, file, pickle_protocol=protocol, _use_new_zipfile_serialization=not legacy)
        file.rename(path)
    else:
        file = io.BytesIO()
        torch.save(value, file, pickle_protocol=protocol, _use_new_zipfile_serialization=not legacy)
        path.write_bytes(file.getvalue())


def pack_again(random, path):
    """Unpacks the archive of torch.save and packs it as another program does, which may compress, shuffle the records
    and list the folders."""
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
    """A tree of torch.save. Drawn anew are trees with a storage of two dtypes, which torch.save refuses, and trees with
    a storage without a dtype in the legacy format, for which torch.load fails by a mistake of its own."""
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
            if not re.search("view the same data as different types|has no attribute 'dtype'", str(error)):
                raise


def edited_pickle(random, pickle):
    """`pickle` with some bytes replaced, added or removed."""
    for _ in range(random.choice([1, 1, 2, 4])):
        i, j = random.randrange(2, len(pickle)), random.randrange(2, len(pickle))
        size = random.choice([0, 1, 1, 1, 2, 8])
        new = random.choice([random.randbytes(1), pickle[j:j + size]])
        pickle = pickle[:i] + new + pickle[i + random.choice([0, 1, 1, size]):]
    return pickle


def is_readable(path):
    """Whether torch.load(weights_only=True) reads a tree that Modelport's design takes."""
    try:
        return "reads" in expect(path)
    except Exception:  # An edited pickle can raise any.
        return False


def edited_torch_file(random, folder):
    """A state dict of torch.save whose pickle is edited so that torch.load still reads it."""
    path = folder / EDITED
    torch.serialization.set_crc32_options(True)
    while True:
        values = Values(random)
        torch.save({f"k{i}": values.plain_tensor() for i in range(3)}, path, pickle_protocol=random.choice([2, 3]))
        with zipfile.ZipFile(path) as archive:
            records = [(name, archive.read(name)) for name in archive.namelist()]
        with zipfile.ZipFile(path, "w") as archive:
            for name, content in records:
                archive.writestr(name, edited_pickle(random, content) if name.endswith("/data.pkl") else content)
        if is_readable(path):
            return path
