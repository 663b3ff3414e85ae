#!/usr/bin/env python3
"""Writes what a PyTorch model computes, stage by stage, as a reference for Modelport's tools parity and verify.

    from dump_stages import dump_stages
    dump_stages(model, "dav2_vits.safetensors", model_name="dav2_vits", x=torch.rand(1, 3, 56, 56))

Every submodule is a stage: its inputs and its output are stored under its path, with the numbers and texts that it
takes as values, and those that it holds as settings. Inputs are stored before the module runs, since it may write into them. A module with several paths
is stored under the one by which its caller has it. Nothing of the model changes; the hooks are removed, also after an
error. Only PyTorch is needed.
"""

import collections
import copy
import ctypes
import inspect
import json
import math
import struct
import sys

import torch

_DTYPES = {
    torch.float64: "F64", torch.float32: "F32", torch.float16: "F16", torch.bfloat16: "BF16", torch.int64: "I64",
    torch.int32: "I32", torch.int16: "I16", torch.int8: "I8", torch.uint8: "U8", torch.bool: "BOOL",
}


def dump_stages(model, path, model_name, method="forward", names=None, argument_names=None, max_elements=4_000_000,
                float64=True, **arguments):
    """Calls `model.method(**arguments)` and writes the safetensors file `path`.

    Args:
      model: any nn.Module. Set it to eval() and to the dtype in which it shall be compared.
      path: the file to write.
      model_name: Modelport's name of the variant.
      method: the method to call.
      names: {path here: path in Modelport's model}, where they differ: {"encoder": "backbone"} renames all below it;
        None in the place of a path leaves a module out, with all below it. {i} in both stands for any number:
        {"layer.{i}.ffn": "blocks.{i}.mlp"}. "" is Modelport's model itself: with {"net": ""} the result of the child
        net is the output, and what it gets is the input, whatever `model` does before and after it. Outputs are
        renamed as modules are: {"output.phas": "output"}.
      argument_names: {name in Modelport's method: name here}, where they differ: {"x": "image"}. A dot stands for a
        dictionary's field: {"image": "batch.image", "trimap": "batch.trimap"}.
      max_elements: a larger tensor is stored as a slice, of every n-th row along its longest dimensions.
      float64: whether a copy of the model runs in float64, too: how far each tensor is from that is stored as its noise,
        from which the tolerance of a comparison follows. It takes the memory of the weights twice more.
      **arguments: of the method, by the names that they have in Modelport's model.
    """
    outputs = {} if hasattr(model, "output") else {n: to for n, to in (names or {}).items() if n.split(".")[0] == "output"}
    recorder = _Recorder({n: to for n, to in (names or {}).items() if n not in outputs}, max_elements, outputs)
    wide = _wide_copy(model) if float64 else None
    wide_arguments = {name: value.double() if _is_floating(value) else value for name, value in arguments.items()}
    plain = _record(model, method, argument_names, arguments, recorder)
    if recorder.root_calls:
        method = "forward"
    settings = {}
    for name, module in model.named_modules(remove_duplicate=False):
        stage = recorder.rename(name)
        if stage is not None:
            settings[stage] = _settings(module)
    metadata = {
        "model": model_name,
        "call": json.dumps({"method": method, "arguments": plain}),
        "settings": json.dumps(settings, allow_nan=False),
    }
    if recorder.slices:
        metadata["slices"] = json.dumps(recorder.slices)
    if recorder.values:
        metadata["values"] = json.dumps(recorder.values, allow_nan=False)
    if wide is not None:
        metadata["noise"] = json.dumps(_noise(wide, method, argument_names, wide_arguments, recorder), allow_nan=False)
    write_safetensors(path, recorder.tensors, metadata)


def _is_floating(value):
    return isinstance(value, torch.Tensor) and value.is_floating_point()


def _by_name_here(arguments, argument_names):
    """The arguments as the model wants them: by other names, and some as fields of dictionaries."""
    given = {}
    for name, value in arguments.items():
        *path, last = argument_names.get(name, name).split(".")
        place = given
        for field in path:
            place = place.setdefault(field, {})
        place[last] = value
    return given


def _record(model, method, argument_names, arguments, recorder):
    """Calls the method and stores its arguments, all stages and its result. Returns the arguments that are no tensors."""
    own = argument_names or {}
    recorder.names_here = own
    paths = {}
    for name, module in model.named_modules(remove_duplicate=False):
        if name:
            paths.setdefault(module, []).append(name)
    handles = []
    try:
        for module, names_of_module in paths.items():
            handles += recorder.watch(module, names_of_module)
        # Copies, since the model may write into its arguments.
        copies = {name: value.clone() if isinstance(value, torch.Tensor) else value for name, value in arguments.items()}
        with torch.no_grad():
            result = getattr(model, method)(**_by_name_here(copies, own))
    finally:
        for handle in handles:
            handle.remove()
    if recorder.root_calls > 1:
        raise ValueError(f'the module that is named "" was called {recorder.root_calls} times: which call is the model\'s?')
    if recorder.root_calls == 0:
        if "" in recorder.names.values():
            raise ValueError('the module that is named "" was not called')
        recorder.add_arguments(arguments)
        recorder.add_result(result)
    return recorder.plain_arguments


def _wide_copy(model):
    """A copy of the model in float64; None, with a line on stderr, if it cannot be copied."""
    try:
        return copy.deepcopy(model).double()
    except Exception as error:
        print(f"no noise is stored: the model cannot be copied: {error}", file=sys.stderr)
        return None


def _noise(model, method, argument_names, arguments, recorder):
    """How far each floating tensor of `recorder` is from the one that `model` computes in float64."""
    wide = _Recorder({}, recorder.max_elements, recorder.outputs)
    wide.names = recorder.names
    default = torch.get_default_dtype()
    try:
        torch.set_default_dtype(torch.float64)  # For what the model makes itself, such as the zeros of a border.
        _record(model, method, argument_names, arguments, wide)
    except Exception as error:
        print(f"no noise is stored: the model does not run in float64: {error}", file=sys.stderr)
        return {}
    finally:
        torch.set_default_dtype(default)
    noise = {}
    for name, tensor in recorder.tensors.items():
        other = wide.tensors.get(name)
        if name.startswith("input.") or not _is_floating(tensor) or other is None or other.shape != tensor.shape:
            continue
        noise[name] = (tensor.double() - other.double()).abs().max().item() if tensor.numel() else 0.0
    return noise


def _numbers(pattern, parts):
    """The numbers that stand for {i} of a pattern in a path; None if the path is none of the pattern."""
    if len(pattern) != len(parts):
        return None
    pairs = list(zip(pattern, parts))
    if any(part != other and not (part == "{i}" and other.isdigit()) for part, other in pairs):
        return None
    return [other for part, other in pairs if part == "{i}"]


class _Recorder:
    """Collects copies of tensors under the names that Modelport gives them."""

    def __init__(self, names, max_elements, outputs):
        self.outputs = outputs  # New names of results of the model, "output.depth"; None for those that are left out.
        self.names = {tuple(path.split(".")): target for path, target in names.items()}
        self.max_elements = max_elements
        self.tensors = {}
        self.slices = {}
        self.values = {}  # Of stages, arguments that are no tensors.
        self.plain_arguments = {}  # Of the model, those that are no tensors.
        self.names_here = {}  # Of arguments, by their names in Modelport's method.
        self.root_calls = 0  # Of the module that is Modelport's model.
        self.path_calls = collections.Counter()
        self.stage_calls = collections.Counter()
        self.active = []  # The path and the stage of each module that runs now, the innermost last.

    def rename(self, path):
        """The path in Modelport's model; None for a module that is left out. The longest name that fits is taken."""
        parts = path.split(".")
        for length in range(len(parts), 0, -1):
            for pattern in (tuple(parts[:length]), *self.names):
                numbers = _numbers(pattern, parts[:length])
                if pattern not in self.names or numbers is None:
                    continue
                target = self.names[pattern]
                if target is None:
                    return None
                for number in numbers:
                    target = target.replace("{i}", number, 1)
                return ".".join(p for p in [target, *parts[length:]] if p)
        return path

    def watch(self, module, paths):
        """Hooks that store the inputs and the output of `module`, which has these paths in the model."""
        parameters = list(inspect.signature(module.forward).parameters.values())
        variadic = any(p.kind in (p.VAR_POSITIONAL, p.VAR_KEYWORD) for p in parameters)
        order = [p.name for p in parameters]

        def before(_, args, kwargs):
            stage = self.enter(paths)
            if stage is None:
                return
            values = list(enumerate(args))
            if not variadic:
                values += [(order.index(name), value) for name, value in kwargs.items()]
            if stage == "":
                self.root_calls += 1
                names = {here: name for name, here in self.names_here.items()}
                self.add_arguments({names.get(order[i], order[i]): value for i, value in values})
                return
            for i, value in values:
                self.add(f"input {f'{i} ' if i else ''}of {stage}", value)
                if not variadic and _is_setting(value):
                    self.values.setdefault(stage, {})[order[i]] = value

        def after(_, args, output):
            _, stage = self.active.pop()
            if stage == "":
                self.add_result(output)
            elif stage is not None:
                self.add(stage, output)

        # A model may catch the error of a module, which runs no more then.
        return [module.register_forward_pre_hook(before, with_kwargs=True),
                module.register_forward_hook(after, always_call=True)]

    def enter(self, paths):
        """Notes a call of the module with these paths. Returns its stage, "blocks.0" or "blocks.0 [1]"; None if it is left out."""
        caller = self.active[-1][0] + "." if self.active else ""
        inner = [path for path in paths if path.startswith(caller)] or paths
        path = min(inner, key=lambda path: self.path_calls[path])
        self.path_calls[path] += 1
        stage = self.rename(path)
        if stage:
            call = self.stage_calls[stage]
            self.stage_calls[stage] += 1
            stage += f" [{call}]" if call else ""
        self.active.append((path, stage))
        return stage

    def add_arguments(self, arguments):
        """Stores the arguments of the model, by their names in Modelport's method."""
        for name, value in arguments.items():
            if isinstance(value, torch.Tensor):
                self.store("input." + name, value, whole=True)
            else:
                self.plain_arguments[name] = value

    def add_result(self, value):
        """Stores what the model returns, under the names that Modelport gives it."""
        self.add("output", value, ".", whole=True)
        for name, target in self.outputs.items():
            tensor = self.tensors.pop(name, None)
            if tensor is not None and target is not None:
                self.tensors[target] = tensor

    def add(self, name, value, separator=" -> ", whole=False):
        """Stores the tensors in `value`: an element's name is its key or index behind `separator`, then dots."""
        if isinstance(value, torch.Tensor):
            self.store(name, value, whole)
        elif isinstance(value, dict):
            for key, item in value.items():
                if isinstance(key, str):
                    self.add(f"{name}{separator}{key}", item, ".", whole)
        elif isinstance(value, (list, tuple)):
            for i, item in enumerate(value):
                self.add(f"{name}{separator}{i}", item, ".", whole)

    def store(self, name, tensor, whole=False):
        """Stores a copy on the CPU, or of a large tensor a slice. What is not finite compares with nothing."""
        tensor = tensor.detach()
        if tensor.dtype not in _DTYPES or not bool(torch.isfinite(tensor).all()):
            return
        if not whole and tensor.numel() > self.max_elements:
            steps = _steps(list(tensor.shape), self.max_elements)
            self.slices[name] = "[" + ", ".join(":" if step == 1 else f"::{step}" for step in steps) + "]"
            tensor = tensor[tuple(slice(None, None, step) for step in steps)]
        self.tensors[name] = tensor.to("cpu", copy=True).contiguous()


def _steps(shape, max_elements):
    """The step of each dimension that leaves at most max_elements."""
    steps = [1] * len(shape)
    size = lambda: math.prod(-(-s // step) for s, step in zip(shape, steps))
    while size() > max_elements:
        longest = max(range(len(shape)), key=lambda i: -(-shape[i] // steps[i]))
        steps[longest] += 1
    return steps


def _settings(module):
    """What a module holds beside tensors and modules: numbers, texts, None, and lists of these."""
    return {name: value for name, value in vars(module).items()
            if not name.startswith("_") and name != "training" and _is_setting(value)}


def _is_setting(value):
    if isinstance(value, float):
        return math.isfinite(value)
    if isinstance(value, (list, tuple)):
        return all(_is_setting(item) for item in value)
    return value is None or isinstance(value, (bool, int, str))


def write_safetensors(path, tensors, metadata):
    """Writes tensors in the format of safetensors, wider dtypes first, as its library does."""
    order = sorted(tensors, key=lambda name: (-tensors[name].element_size(), name))
    header, offset = {"__metadata__": metadata}, 0
    for name in order:
        tensor = tensors[name]
        end = offset + tensor.numel() * tensor.element_size()
        header[name] = {"dtype": _DTYPES[tensor.dtype], "shape": list(tensor.shape), "data_offsets": [offset, end]}
        offset = end
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(text)))
        file.write(text)
        for name in order:
            tensor = tensors[name]
            file.write(ctypes.string_at(tensor.data_ptr(), tensor.numel() * tensor.element_size()))
