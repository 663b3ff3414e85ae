"""What the host program computes on the device, compared with what it computes on the CPU in float32.

The host moves one copy of the artifact with module.to(device), which leaves its plain attributes and constants where they are, and loads another one
to the device at once. Every call is made twice with each, and some calls are of batches."""
import statistics
from concurrent.futures import ThreadPoolExecutor
from typing import List, NamedTuple


class Precision(NamedTuple):
    steps: List[str]  # Before the calls.
    tf32: bool  # Whether the device may use TF32 for float32.
    allowed: float  # The largest difference, as a fraction of an output's range.


# The bound of float32 is that of tests/runtime; the others are the 32-fold of the error of rounding one number.
PRECISIONS = {
    "float32": Precision([], False, 1e-4),
    "TF32": Precision([], True, 32 * 2**-11),
    "float16": Precision(["half"], True, 32 * 2**-11),
    "bfloat16": Precision(["bfloat16"], True, 32 * 2**-8),
}


class Host:
    """Runs artifacts by the host program and compares results."""

    def __init__(self, programs):
        self._programs = programs

    def results(self, artifact, device, label, steps, tf32=True):
        """Takes the steps on the device. Returns whether it succeeded, and the file of results, or the error."""
        stem = self._programs.folder / f"{artifact.name}.{device}.{label}"
        variables = {} if tf32 else {"NVIDIA_TF32_OVERRIDE": "0"}
        done, output = self._programs.run("host", f"--device={device}", artifact.path, f"{stem}.pt", stem, *steps, **variables)
        return done, stem if done else output

    def times(self, artifact, device, calls):
        """Milliseconds of each pass of the calls: of the artifact on the device, and then of its copy. None if the host fails, and the error."""
        copy = self._programs.folder / f"{artifact.name}.times.pt"
        done, output = self._programs.run("host", f"--device={device}", artifact.path, copy, f"{copy}.results", *calls)
        return [float(line.split()[0]) for line in output.splitlines()] if done else None, output

    def difference(self, artifact, device, precision):
        """The difference of the results on the device from those on the CPU, and where it is. None after an error, and the error."""
        steps, tf32, _ = PRECISIONS[precision]
        calls = artifact.calls if steps else artifact.steps
        files = []
        for where, label, run in [("cpu", f"{precision}.expected", calls), (device, f"{precision}.actual", steps + calls)]:
            done, output = self.results(artifact, where, label, run, tf32)
            if not done:
                return None, output
            files.append(output)
        done, output = self._programs.run("compare", *files)
        return (float(output.split()[0]), output.split()[1]) if done else (None, output)


def is_comparable(artifact, precision):
    """Nuke alone has a switch to half precision, and the weights of its artifacts keep every pixel away from the thresholds behind which a small
    difference becomes a large one, if any do (tests/runtime/cases.h); TF32 rounds like float16."""
    return not artifact.timed and (precision == "float32" or (artifact.target == "nuke" and not artifact.magnifies))


def check_values(artifacts, host, device, jobs, report):
    tasks = [(artifact, precision) for precision in PRECISIONS for artifact in artifacts if is_comparable(artifact, precision)]
    with ThreadPoolExecutor(jobs) as pool:
        found = pool.map(lambda task: host.difference(task[0], device, task[1]), tasks)
        for (artifact, precision), (difference, where) in zip(tasks, found):
            name, allowed = f"{artifact.name}, {precision}", PRECISIONS[precision].allowed
            if difference is None:
                report.check(name, False, where)
            else:
                report.check(name, difference <= allowed, f"{difference:.1e} in {where}, at most {allowed:.1e}")


def check_second_gpu(artifacts, host, report):
    """Kernels and new tensors must follow the input to a device that is not the default one."""
    artifact = artifacts[0]
    done, output = host.results(artifact, "cuda:1", "second", artifact.calls)
    if not done and "this LibTorch finds 1 GPUs" in output:
        report.skip("the second GPU", "there is one GPU")
    else:
        report.check("the second GPU", done, artifact.name if done else output)


def twenty_sizes(call):
    """The call with images of twenty sizes that have about as many pixels as each other."""
    method, shape = call.split(" ", 1)[0], call.split(" ")[1].split(",")
    rows = int(shape[-1]) // 14
    low = max(rows - 10, 1)
    sizes = [(low + i, low + 20 - i) for i in range(20)]
    return [" ".join([method, ",".join([*shape[:-2], str(14 * height), str(14 * width)])]) for height, width in sizes]


def check_sizes(artifacts, host, device, report):
    """A new size of image must not cost more than a call: nothing is compiled again for it."""
    for artifact in artifacts:
        if not artifact.timed:
            continue
        name = f"{artifact.name}, 20 sizes in a row"
        times, error = host.times(artifact, device, twenty_sizes(artifact.calls[0]))
        if times is None:
            report.check(name, False, error)
            continue
        # The two passes of the first size compile, for the artifact and for its copy.
        later = times[2:40] + times[42:]
        usual, slowest = statistics.median(later), max(later)
        result = f"{usual:.1f} ms, slowest {slowest:.1f} ms, first {times[0]:.0f} and {times[1]:.0f} ms"
        report.check(name, slowest <= 3 * usual + 100, result)


def run(artifacts, programs, device, jobs, report):
    host = Host(programs)
    done, output = host.results(artifacts[0], device, "first", artifacts[0].calls)
    if not done:
        report.check(f"{artifacts[0].name} on {device}", False, output)
        return
    check_values(artifacts, host, device, jobs, report)
    check_sizes(artifacts, host, device, report)
    if device == "cuda":
        check_second_gpu(artifacts, host, report)
    else:
        report.skip("the second GPU", f"--device={device}")
