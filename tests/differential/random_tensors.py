"""Random tensors as checkpoints hold them."""
import torch
from torch import nn

from tensors import DTYPES


class RandomTensors:
    def __init__(self, random):
        self.random = random
        self.storages = []  # Flat tensors, which later tensors may share.

    def chance(self, probability):
        return self.random.random() < probability

    def fill(self, tensor):
        """Gives the tensor's storage random bytes: NaN, infinities and denormal numbers among them."""
        storage = tensor.untyped_storage()
        data = bytearray(self.random.randbytes(storage.nbytes()))
        if tensor.dtype == torch.bool:
            data = bytearray(byte & 1 for byte in data)
        if data:
            storage.copy_(torch.frombuffer(data, dtype=torch.uint8).untyped_storage())
        return tensor

    def storage(self, dtype):
        """A flat tensor of up to 24 elements."""
        shared = [flat for flat in self.storages if flat.dtype == dtype]
        if shared and self.chance(0.4):
            return self.random.choice(shared)
        count = self.random.choice([0, 1, 2, 3, 4, 6, 8, 12, 24])
        if self.chance(0.1) and dtype != torch.bool:
            self.storages.append(self.part_of_bytes(dtype, count))
        else:
            self.storages.append(self.fill(torch.empty(count, dtype=dtype)))
        return self.storages[-1]

    def part_of_bytes(self, dtype, count):
        """A part of a buffer of bytes, whose size need not be a multiple of the dtype's."""
        begin, size = self.random.randrange(4) * dtype.itemsize, count * dtype.itemsize
        buffer = self.fill(torch.empty(begin + size + self.random.randrange(9), dtype=torch.uint8))
        return buffer[begin:begin + size].view(dtype)

    def shape(self, count):
        """A shape of `count` elements."""
        sizes = []
        while count > 1 and self.chance(0.7):
            sizes.append(self.random.choice([size for size in range(1, count + 1) if count % size == 0]))
            count //= sizes[-1]
        return sizes + [count] if count != 1 or self.chance(0.5) else sizes

    def strided(self, flat):
        """Any view within `flat`: overlapping, expanded, empty or with elements left out."""
        sizes = [self.random.randrange(5) for _ in range(self.random.randrange(5))]
        strides = [self.random.randrange(7) for _ in sizes]
        if 0 in sizes:
            return flat.as_strided(sizes, strides, self.random.randrange(len(flat) + 4))
        offset = self.random.randrange(len(flat))
        while offset + sum((size - 1) * stride for size, stride in zip(sizes, strides)) >= len(flat):
            i = self.random.randrange(len(sizes))
            sizes[i] = max(1, sizes[i] - 1)
        return flat.as_strided(sizes, strides, offset)

    def view(self, flat):
        """A view of `flat` as models make them."""
        if len(flat) and self.chance(0.3):
            return self.strided(flat)
        tensor = flat.reshape(self.shape(len(flat)))
        if tensor.dim() and self.chance(0.3):
            axes = list(range(tensor.dim()))
            self.random.shuffle(axes)
            tensor = tensor.permute(axes)
        if tensor.dim() and self.chance(0.3):
            axis = self.random.randrange(tensor.dim())
            begin, step = self.random.randrange(tensor.shape[axis] + 1), self.random.randrange(1, 4)
            tensor = tensor[(slice(None),) * axis + (slice(begin, None, step),)]
        if self.chance(0.1):
            tensor = tensor.unsqueeze(0).expand(self.random.randrange(1, 4), *tensor.shape)
        return tensor

    def plain_tensor(self):
        return self.view(self.storage(self.random.choice(DTYPES)))

    def tensor(self):
        """A tensor, Parameter or Buffer, perhaps with attributes of its own."""
        tensor = self.plain_tensor()
        # torch.load fails at 8 bits with a gradient.
        floating = tensor.is_floating_point() and tensor.itemsize > 1
        kind = self.random.random()
        if kind < 0.15:
            tensor = nn.Parameter(tensor, requires_grad=floating and self.chance(0.7))
        elif kind < 0.18:
            tensor = nn.Buffer(tensor)
        elif kind < 0.22 and floating:
            tensor = tensor.detach().requires_grad_()
        if self.chance(0.03):
            tensor.note = self.random.choice(["text", {"scale": self.view(self.storage(torch.float32))}])
        return tensor

    def unsupported_tensor(self):
        """A tensor of a kind whose elements are not read."""
        ones = torch.ones(2, 2)
        return self.random.choice([
            lambda: ones.to_sparse(),
            lambda: ones.to_sparse_csr(),
            lambda: torch.quantize_per_tensor(ones, 0.5, 0, torch.qint8),
            lambda: torch.quantize_per_channel(ones, torch.ones(2), torch.zeros(2), 0, torch.quint8),
            lambda: torch.empty(2, device="meta"),
            lambda: torch._neg_view(ones),
            lambda: torch.ones(2, dtype=torch.complex64).conj(),
        ])()
