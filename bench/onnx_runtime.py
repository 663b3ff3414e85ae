"""Runs an ONNX file in ONNX Runtime for //bench:inference: a ModelProcess, whose header describes the lines.

usage: onnx_runtime.py FILE.onnx
"""
import math
import sys
import time

import numpy
import onnxruntime

from process_memory import memory, reset_peak


def start(path, threads):
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    return onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])


def value(word):
    """The input of a word: a tensor of the shape "1,3,518,518", or the integer "1200"."""
    sizes = [int(size) for size in word.split(",")]
    if len(sizes) == 1:
        return numpy.array(sizes, numpy.int64)
    return numpy.linspace(-2, 2, math.prod(sizes)).reshape(sizes).astype(numpy.float32)


def main():
    path = sys.argv[1]
    session, started = start(path, 1), 1
    print("ready", memory("VmRSS"), flush=True)
    names, results = [output.name for output in session.get_outputs()], []
    for line in sys.stdin:
        words = line.split()
        if words[0] == "run":
            if int(words[1]) != started:
                started = int(words[1])
                session = start(path, started)
            inputs = {port.name: value(word) for port, word in zip(session.get_inputs(), words[2:])}
            reset_peak()
            cpu, wall = time.process_time(), time.perf_counter()
            results = session.run(None, inputs)
            cpu, wall = time.process_time() - cpu, time.perf_counter() - wall
            print(f"{cpu:.6f} {wall:.6f} {memory('VmHWM')}", flush=True)
        else:
            result = results[names.index(words[2]) if len(words) > 2 else 0]
            with open(words[1], "wb") as file:
                file.write(numpy.ascontiguousarray(result, numpy.float32).tobytes())
            print("saved", flush=True)


if __name__ == "__main__":
    main()
