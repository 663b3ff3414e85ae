"""Writes random checkpoints in several files, which an index binds together."""
import json

import safetensors.torch
import torch

from safetensors_files import flat_tensors, metadata
from torch_files import save_by_torch
from values import Values


def split(random, tensors):
    """The tensors in one to four parts, none empty."""
    parts = {}
    for key, tensor in tensors.items():
        parts.setdefault(random.randrange(4), {})[key] = tensor
    return list(parts.values())


def write_index(random, folder, name, shards):
    """The index that transformers writes beside shards; `shards` maps their names to their keys."""
    weight_map = {key: shard for shard, keys in shards.items() for key in keys}
    metadata = random.choice([{}, {"total_size": 1}, {"weight_map": {"a": [1, {}]}}])
    index = {"metadata": metadata, "weight_map": weight_map}
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
        tensors["extra"] = random.choice([{"t": torch.ones(1)}, [torch.ones(1)]])
    shards = {}
    for i, part in enumerate(split(random, tensors)):
        name = f"pytorch_model-{i + 1:05}.bin"
        save_by_torch(random, part, folder / name)
        shards[name] = part
    return write_index(random, folder, "pytorch_model.bin.index.json", shards)
