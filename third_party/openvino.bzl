"""OpenVINO, the runtime that proves ONNX files, from its wheel on the package index. Tests and --config=onnx use it; nothing else fetches it."""

load("//third_party:wheel.bzl", "fetch_wheel", "unpack_wheel")

_WHEEL = "openvino-2026.4.1-22982-cp311-cp311-manylinux_2_28_x86_64.whl"
_SHA256 = "2d22b1da03f7caf74df30e9f6417d0ab2f637e4a38e08e1dcd294d2c37407aaf"

# What runs an ONNX file on a CPU.
_LIBRARIES = ["libopenvino.so.*", "libopenvino_c.so.*", "libopenvino_intel_cpu_plugin.so", "libopenvino_onnx_frontend.so.*", "libtbb.so.*"]

def _openvino_impl(ctx):
    fetch_wheel(ctx, _WHEEL, _SHA256, cure = "\n  without it ONNX files are not proven: export --noverify")
    unpack_wheel(ctx, _WHEEL, ["openvino/libs/" + name for name in _LIBRARIES], headers = "openvino/include")
    ctx.file("BUILD", """load("@rules_cc//cc:defs.bzl", "cc_library")

filegroup(
    name = "libraries",
    srcs = glob(["lib/*"]),
    visibility = ["//visibility:public"],
)

cc_library(
    name = "openvino",
    srcs = glob(["lib/*"]),
    hdrs = glob(["include/**"]),
    includes = ["include"],
    visibility = ["//visibility:public"],
)
""")

openvino = repository_rule(
    doc = "OpenVINO's libraries for the CPU, lib/, and its headers.",
    implementation = _openvino_impl,
)
