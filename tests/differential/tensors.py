"""What expected.json says of a tensor."""
import hashlib

import torch

# Those that Modelport reads.
DTYPES = [torch.float64, torch.float32, torch.float16, torch.bfloat16, torch.int64, torch.int32, torch.int16,
          torch.int8, torch.uint8, torch.bool, torch.uint16, torch.uint32, torch.uint64, torch.complex64,
          torch.complex128, torch.float8_e4m3fn, torch.float8_e5m2, torch.float8_e4m3fnuz, torch.float8_e5m2fnuz,
          torch.float8_e8m0fnu]


class Refused(Exception):
    """Modelport refuses the checkpoint by design, with this code and a message that contains the text."""

    def __init__(self, code, text):
        super().__init__(code, text)


def row_major_bytes(tensor):
    copy = tensor.detach().clone(memory_format=torch.contiguous_format)
    return copy.reshape(-1).view(torch.uint8).numpy().tobytes()


def dtype_name(tensor):
    return str(tensor.dtype).removeprefix("torch.")


def describe(key, tensor, offset, storage):
    """The line of a tensor. One without elements has no place in a storage."""
    offset, storage = (offset, storage) if tensor.numel() else (0, -1)
    digest = hashlib.sha256(row_major_bytes(tensor)).hexdigest()[:16]
    return [key, dtype_name(tensor), list(tensor.shape), list(tensor.stride()), offset, storage, digest]
