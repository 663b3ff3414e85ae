"""Checks ONNX files with onnx's checker, runs them in ONNX Runtime, at three sizes where they leave sizes free, and compares with the TorchScript artifacts beside them.

    python3 -m venv venv && venv/bin/pip install onnx==1.20.0 onnxruntime==1.32.0 torch==2.13.0
    venv/bin/python tests/onnx/compare.py FOLDER

FOLDER has MODEL.pt and MODEL.onnx of equal weights. Prints a row for each: nodes, the largest difference as a fraction of the output's range,
how far the artifact itself is from what it computes in float64, and the processor time of ONNX Runtime over that of the artifact, on one thread,
in turn. Exits with 1 if one fails, or differs by more than 1e-5 and four times the artifact's own difference."""

import json
import pathlib
import statistics
import sys
import time
import warnings

import onnx
import onnxruntime
import torch

warnings.filterwarnings("ignore")
LIMIT = 1e-5
BATCHES_AND_SIZES = [(1, 5, 7), (2, 4, 3), (1, 6, 6)]


def count_nodes(graph):
    return sum(1 + sum(count_nodes(a.g) for a in node.attribute if a.HasField("g")) for node in graph.node)


def sizes_of(value, batch, rows, columns):
    """The input's shape, of which letters get a batch, rows and columns of the unit that the file states, such as 14*h, or two of anything else."""
    sizes = []
    for dim in value.type.tensor_type.shape.dim:
        if dim.HasField("dim_value"):
            sizes.append(dim.dim_value)
        elif dim.dim_param == "B":
            sizes.append(batch)
        else:
            factor, _, letter = dim.dim_param.rpartition("*")
            counts = {"h": rows, "w": columns}
            if letter[0].lower() in counts:
                sizes.append(int(factor or 14) * counts[letter[0].lower()])
            else:
                sizes.append(2 * int(factor or 1))
    return sizes


def parts(result, names):
    if isinstance(result, torch.Tensor):
        return [result]
    return [result[name] for name in names] if isinstance(result, dict) else [part for part in result if part.numel()]


def difference(expected, actual):
    """The largest difference of finite elements, as a fraction of the range, or where there is one number an image, of the largest of them, as the
    proof of an export has it. Both have to be finite at the same places."""
    worst = 0.0
    for a, b in zip(expected, actual):
        a, b = a.double(), b.double()
        assert a.shape == b.shape, (a.shape, b.shape)
        finite = torch.isfinite(a)
        assert (finite == torch.isfinite(b)).all()
        extent = (a[finite].max() - a[finite].min()).item()
        if a.dim() == 0 or a.numel() == len(a) or extent == 0:
            extent = a[finite].abs().max().item() or 1.0
        worst = max(worst, (a - b)[finite].abs().max().item() / extent)
    return worst


def inputs_of(model, sizes):
    torch.manual_seed(0)
    inputs = []
    for value in model.graph.input:
        is_number = value.type.tensor_type.elem_type == onnx.TensorProto.INT64
        noise = torch.rand(sizes_of(value, *sizes))
        # Labels of points are 0 and 1.
        inputs.append(400 if is_number else noise.round() if value.name == "labels" else noise)
    return inputs


def run_in_double(path, method, calls, names):
    # Before the others are loaded, since this one takes twice their memory.
    artifact = torch.jit.load(str(path)).double()
    with torch.no_grad():
        return [
            parts(getattr(artifact, method)(*[x if isinstance(x, int) else x.double() for x in inputs]), names)
            for inputs in calls
        ]


def compare(path):
    # By its path, since a message of more than 2 GB cannot be checked.
    onnx.checker.check_model(str(path), full_check=True)
    model = onnx.load(str(path), load_external_data=False)
    manifest = next(entry.value for entry in model.metadata_props if entry.key == "modelport.manifest")
    method = json.loads(manifest)["request"]["method"] or "forward"
    names = [value.name for value in model.graph.output]
    is_free = any(dim.dim_param for value in model.graph.input for dim in value.type.tensor_type.shape.dim)
    calls = [inputs_of(model, sizes) for sizes in (BATCHES_AND_SIZES if is_free else BATCHES_AND_SIZES[:1])]
    exact = run_in_double(path.with_suffix(".pt"), method, calls, names)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    session = onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
    artifact = torch.jit.load(str(path.with_suffix(".pt")))
    worst, noise, ratios = 0.0, 0.0, []
    for inputs, in_double in zip(calls, exact):
        given = {
            value.name: torch.tensor([x]).numpy() if isinstance(x, int) else x.numpy() for value, x in zip(model.graph.input, inputs)
        }
        times = [[], []]
        with torch.no_grad():
            for _ in range(5):
                start = time.process_time()
                expected = parts(getattr(artifact, method)(*inputs), names)
                middle = time.process_time()
                actual = session.run(names, given)
                times[0].append(middle - start)
                times[1].append(time.process_time() - middle)
        ratios.append(statistics.median(times[1]) / statistics.median(times[0]))
        worst = max(worst, difference(expected, [torch.from_numpy(array) for array in actual]))
        noise = max(noise, difference(in_double, expected))
    return count_nodes(model.graph), worst, noise, statistics.median(ratios)


def main():
    torch.set_num_threads(1)
    failed = 0
    print("| model | nodes | largest difference | the artifact's own | time |\n|:--|--:|--:|--:|--:|")
    for path in sorted(pathlib.Path(sys.argv[1]).glob("*.onnx")):
        try:
            nodes, worst, noise, ratio = compare(path)
            failed += worst > max(LIMIT, 4 * noise)
            print(f"| `{path.stem}` | {nodes} | {worst:.1e} | {noise:.1e} | {ratio:.2f} |", flush=True)
        except Exception as error:  # One model's failure is not that of the others.
            failed += 1
            print(f"| `{path.stem}` | failed: {str(error)[:300]} | | | |", flush=True)
    sys.exit(1 if failed else 0)


main()
