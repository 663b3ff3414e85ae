#!/usr/bin/env python3
"""Tests dump_stages.py on a toy module: run it with a Python that has PyTorch. It needs nothing else."""

import json
import os
import struct
import sys
import tempfile
import unittest

try:
    import torch
except ImportError:
    print("skipped: this Python has no PyTorch")
    sys.exit(0)

from dump_stages import dump_stages


class Scale(torch.nn.Module):
    def __init__(self, factor):
        super().__init__()
        self.factor = factor

    def forward(self, x, shift=None):
        return {"scaled": x * self.factor if shift is None else x * self.factor + shift}


class Toy(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.encoder = torch.nn.ModuleList([torch.nn.Linear(4, 4), torch.nn.Dropout()])
        self.scale = Scale(2.0)

    def forward(self, x, times: int = 1):
        x = self.encoder[1](self.encoder[0](x))
        for _ in range(times):
            x = self.scale(x, shift=x)["scaled"]
        return x.relu_(), (x, [x])


class InPlace(torch.nn.Module):
    """Modules that write into their inputs, one that has two paths, and one that is called twice."""

    def __init__(self):
        super().__init__()
        self.head = torch.nn.Sequential(torch.nn.Linear(4, 4), torch.nn.ReLU(True))
        self.tail = torch.nn.ModuleList([torch.nn.Sequential(self.head[0], self.head[1])])
        self.norm = torch.nn.LayerNorm(4)
        self.also_norm = self.norm
        self.pick = Pick()
        self.pick.forward = lambda pair: pair[1]

    def infer(self, x):
        x.sub_(0.5)
        return self.pick([x, self.also_norm(self.norm(self.tail[0](self.head(x))))])


class Pick(torch.nn.Module):
    pass


class Batched(torch.nn.Module):
    """A model around the one that is ported: it takes a dictionary, prepares it and processes the last of a list."""

    def __init__(self):
        super().__init__()
        self.net = Net()

    def forward(self, batch, scale: float = 1.0):
        # The matrix is of the default dtype, as borders of zeros are in upstream's classes.
        x = torch.cat([batch["image"], batch["trimap"]], 1) @ torch.eye(4)
        return torch.sigmoid(self.net(x - 0.5, scale)[-1])


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(4, 4)
        self.width = 4

    def forward(self, x, scale):
        return [x, self.layer(x) * scale]


def read(path):
    """The metadata and the tensors of a safetensors file."""
    with open(path, "rb") as file:
        header = json.loads(file.read(struct.unpack("<Q", file.read(8))[0]))
        data = file.read()
    metadata = header.pop("__metadata__")
    types = {"F32": torch.float32, "F16": torch.float16, "I64": torch.int64}
    return metadata, {
        name: torch.frombuffer(bytearray(data[slice(*entry["data_offsets"])]), dtype=types[entry["dtype"]])
        .reshape(entry["shape"]) for name, entry in header.items()}


class Catches(torch.nn.Module):
    """A model that goes on without a module that failed."""

    def __init__(self):
        super().__init__()
        self.norms = torch.nn.ModuleList([torch.nn.LayerNorm(4)])
        self.fails = torch.nn.Linear(5, 4)
        self.fails.norm = self.norms[0]

    def forward(self, x):
        try:
            x = self.fails(x)
        except RuntimeError:
            pass
        return self.norms[0](x)


class DumpStagesTest(unittest.TestCase):

    def dump(self, model=None, **arguments):
        torch.manual_seed(0)
        self.model = model or Toy().eval()
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "r.safetensors")
            dump_stages(self.model, path, "toy", **arguments)
            return read(path)

    def test_noise_is_how_far_float64_is(self):
        metadata, tensors = self.dump(x=torch.rand(2, 4), times=2)
        noise = json.loads(metadata["noise"])
        self.assertEqual({name for name in tensors if not name.startswith("input.")}, set(noise))
        self.assertGreater(noise["encoder.0"], 0)
        self.assertLess(max(noise.values()), 1e-5)
        self.assertEqual(next(self.model.parameters()).dtype, torch.float32)
        self.assertNotIn("noise", self.dump(x=torch.rand(2, 4), float64=False)[0])

    def test_arguments_that_are_no_tensors_are_values(self):
        class Outer(torch.nn.Module):
            def __init__(self):
                super().__init__()
                self.toy = Toy()

            def forward(self, x):
                return self.toy(x, times=2)

        metadata, _ = self.dump(Outer().eval(), x=torch.rand(3, 4))
        self.assertEqual(json.loads(metadata["values"]), {"toy": {"times": 2}})

    def test_inputs_outputs_calls_and_elements_are_stored(self):
        x = torch.rand(3, 4)
        metadata, tensors = self.dump(x=x, times=2)
        linear = self.model.encoder[0](x)
        self.assertEqual(set(tensors), {
            "input.x", "input of encoder.0", "encoder.0", "input of encoder.1", "encoder.1", "input of scale",
            "input 1 of scale", "scale -> scaled", "input of scale [1]", "input 1 of scale [1]",
            "scale [1] -> scaled", "output.0", "output.1.0", "output.1.1.0"})
        self.assertTrue(tensors["encoder.0"].equal(linear.detach()))
        self.assertTrue(tensors["scale -> scaled"].equal((3 * linear).detach()))
        self.assertEqual(metadata["model"], "toy")
        self.assertEqual(json.loads(metadata["call"]), {"method": "forward", "arguments": {"times": 2}})

    def test_a_later_write_in_place_changes_no_stage(self):
        _, tensors = self.dump(x=-torch.ones(3, 4))
        self.assertTrue((tensors["scale -> scaled"] < 0).any())
        self.assertFalse((tensors["output.0"] < 0).any())

    def test_inputs_are_those_before_the_call(self):
        x = torch.rand(3, 4)
        wanted = x.clone()
        _, tensors = self.dump(InPlace().eval(), method="infer", x=x)
        self.assertTrue(tensors["input.x"].equal(wanted))
        self.assertTrue(tensors["input of head"].equal(wanted - 0.5))
        self.assertTrue(tensors["input of head.1"].equal(tensors["head.0"]))
        self.assertTrue((tensors["input of head.1"] < 0).any())
        self.assertFalse((tensors["head.1"] < 0).any())

    def test_a_call_is_a_stage_under_one_path(self):
        _, tensors = self.dump(InPlace().eval(), method="infer", x=torch.rand(3, 4))
        stages = {name for name in tensors if not name.startswith(("input", "output"))}
        self.assertEqual(stages, {"head", "head.0", "head.1", "tail.0", "tail.0.0", "tail.0.1", "norm", "also_norm", "pick"})
        self.assertTrue(tensors["input of tail.0.0"].equal(tensors["head"]))
        self.assertTrue(tensors["input of also_norm"].equal(tensors["norm"]))
        self.assertTrue(tensors["input of pick -> 1"].equal(tensors["also_norm"]))
        self.assertTrue(tensors["output"].equal(tensors["pick"]))

    def test_a_module_that_failed_calls_nothing_more(self):
        _, tensors = self.dump(Catches(), x=torch.rand(3, 4))
        self.assertEqual(set(tensors), {"input.x", "input of fails", "input of norms.0", "norms.0", "output"})

    def test_settings_are_stored_by_module(self):
        settings = json.loads(self.dump(x=torch.rand(3, 4))[0]["settings"])
        self.assertEqual(settings["scale"], {"factor": 2.0})
        self.assertEqual(settings["encoder.0"], {"in_features": 4, "out_features": 4})

    def test_names_are_replaced_and_modules_left_out(self):
        metadata, tensors = self.dump(x=torch.rand(3, 4), names={"encoder": "layers", "encoder.1": None, "scale": "s"})
        self.assertIn("layers.0", tensors)
        self.assertIn("s -> scaled", tensors)
        self.assertFalse(any("encoder" in name or name == "layers.1" for name in tensors))
        self.assertNotIn("encoder.1", json.loads(metadata["settings"]))

    def test_numbers_in_names_stay(self):
        _, tensors = self.dump(x=torch.rand(3, 4), names={"encoder.{i}": "blocks.{i}.mlp", "encoder.1": "last"})
        self.assertIn("blocks.0.mlp", tensors)
        self.assertIn("last", tensors)
        self.assertFalse(any("encoder" in name or name == "blocks.1.mlp" for name in tensors))

    def test_arguments_are_called_as_the_model_calls_them(self):
        x = torch.rand(3, 4)
        metadata, tensors = self.dump(image=x, count=2, argument_names={"image": "x", "count": "times"})
        self.assertTrue(tensors["input.image"].equal(x))
        self.assertEqual(json.loads(metadata["call"])["arguments"], {"count": 2})

    def test_a_field_of_a_dictionary_is_an_argument(self):
        image, trimap = torch.rand(3, 3), torch.rand(3, 1)
        metadata, tensors = self.dump(Batched(), image=image, trimap=trimap, scale=2.0,
                                      argument_names={"image": "batch.image", "trimap": "batch.trimap"})
        self.assertTrue(tensors["input.trimap"].equal(trimap))
        self.assertEqual(json.loads(metadata["call"]), {"method": "forward", "arguments": {"scale": 2.0}})
        self.assertIn("net.layer", tensors)

    def test_a_child_can_be_the_model(self):
        model, image, trimap = Batched(), torch.rand(3, 3), torch.rand(3, 1)
        metadata, tensors = self.dump(model, image=image, trimap=trimap, names={"net": ""},
                                      argument_names={"image": "batch.image", "trimap": "batch.trimap", "factor": "scale"})
        x = torch.cat([image, trimap], 1) - 0.5
        self.assertTrue(tensors["input.x"].equal(x))
        self.assertTrue(tensors["output.1"].equal(model.net.layer(x).detach()))
        self.assertEqual(set(tensors), {"input.x", "input of layer", "layer", "output.0", "output.1"})
        self.assertEqual(json.loads(metadata["call"]), {"method": "forward", "arguments": {"factor": 1.0}})
        self.assertEqual(json.loads(metadata["settings"])[""], {"width": 4})
        self.assertEqual(set(json.loads(metadata["noise"])), {"input of layer", "layer", "output.0", "output.1"})

    def test_outputs_are_renamed_and_left_out(self):
        metadata, tensors = self.dump(x=torch.rand(3, 4), names={"output.1.0": "output", "output.0": None})
        self.assertEqual({name for name in tensors if name.startswith("output")}, {"output", "output.1.1.0"})
        self.assertIn("output", json.loads(metadata["noise"]))

    def test_a_child_that_is_the_model_runs_once(self):
        with self.assertRaisesRegex(ValueError, "was called 2 times"):
            self.dump(x=torch.rand(3, 4), times=2, names={"scale": ""})
        with self.assertRaisesRegex(ValueError, "was not called"):
            self.dump(x=torch.rand(3, 4), times=0, names={"scale": ""})

    def test_a_large_tensor_is_stored_as_a_slice_but_not_the_inputs_and_outputs_of_the_model(self):
        metadata, tensors = self.dump(x=torch.rand(50, 4), max_elements=40)
        slices = json.loads(metadata["slices"])
        self.assertEqual(slices["encoder.0"], "[::5, :]")
        self.assertEqual(list(tensors["encoder.0"].shape), [10, 4])
        self.assertEqual(list(tensors["input.x"].shape), [50, 4])
        self.assertEqual(list(tensors["output.0"].shape), [50, 4])

    def test_half_precision_stays(self):
        _, tensors = self.dump(Toy().eval().half(), x=torch.rand(3, 4).half())
        self.assertEqual(tensors["encoder.0"].dtype, torch.float16)

    def test_the_hooks_are_gone_afterwards_and_after_an_error(self):
        self.dump(x=torch.rand(3, 4))
        with self.assertRaises(RuntimeError):
            self.dump(self.model, x=torch.rand(3, 5))
        for module in self.model.modules():
            self.assertFalse(module._forward_hooks or module._forward_pre_hooks)


if __name__ == "__main__":
    unittest.main()
