"""Writes random files of torch.save."""
import io
import re
import zipfile

import torch
from torch.utils.serialization import config

from reference import EDITED, expect
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


def is_read_back(path):
    """Whether torch.load reads all of the legacy file that torch.save wrote. It does not where a storage has no dtype or
    its size is no multiple of the dtype's."""
    try:
        with path.open("rb") as file:
            torch.load(file, weights_only=False)
            return not file.read(1)
    except (AttributeError, RuntimeError) as error:
        if not re.search("has no attribute 'dtype'|wrong byte size", str(error)):
            raise
        return False


def save_any_tree(random, path):
    """Saves a random tree; False if torch.save does not take it, because two dtypes view one of its storages."""
    try:
        save_by_torch(random, Values(random).root(), path)
        return True
    except RuntimeError as error:
        if "view the same data as different types" not in str(error):
            raise
        return False


def torch_file(random, folder):
    """A tree of torch.save."""
    path = folder / "checkpoint.pth"
    while not save_any_tree(random, path) or not (zipfile.is_zipfile(path) or is_read_back(path)):
        pass
    if random.random() < 0.05 and zipfile.is_zipfile(path) and torch.serialization.get_crc32_options():
        pack_again(random, path)
    return path


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
                content = edited_pickle(random, content) if name.endswith("/data.pkl") else content
                archive.writestr(zipfile.ZipInfo(name), content)
        if is_readable(path):
            return path
