"""The LibTorch releases of hosts that artifacts are made for, from PyTorch's official wheels. Only targets with the tag "manual" use them, so
nothing is fetched before one of those is built."""

load("//third_party:wheel.bzl", "fetch_wheel", "unpack_wheel")

def _wheel(file, sha256, libraries):
    return struct(file = file, sha256 = sha256, libraries = libraries)

# These wheels are built for CUDA. The library for the CPU works alone, but it is linked against CUDA's runtime and, for its profiler, against
# CUPTI. Later releases have these libraries in wheels of NVIDIA.
_RELEASES = {
    "1.6": [
        _wheel(
            "torch-1.6.0-cp38-cp38-manylinux1_x86_64.whl",
            "5357873e243bcfa804c32dc341f564e9a4c12addfc9baae4ee857fcc09a0a216",
            ["torch/lib/libtorch_cpu.so", "torch/lib/libc10.so", "torch/lib/libgomp*", "torch/lib/libcudart*", "torch/lib/libtensorpipe.so"],
        ),
    ],
    "1.12": [
        _wheel(
            "torch-1.12.1-cp310-cp310-manylinux1_x86_64.whl",
            "9c038662db894a23e49e385df13d47b2a777ffd56d9bcd5b832593fab0a7e286",
            ["torch/lib/libtorch_cpu.so", "torch/lib/libc10.so", "torch/lib/libgomp*", "torch/lib/libcudart*"],
        ),
    ],
    "2.1": [
        _wheel(
            "torch-2.1.1-cp310-cp310-manylinux1_x86_64.whl",
            "5ebc43f5355a9b7be813392b3fb0133991f0380f6f0fcc8218d5468dc45d1071",
            ["torch/lib/libtorch_cpu.so", "torch/lib/libc10.so", "torch/lib/libgomp*"],
        ),
        _wheel(
            "nvidia_cuda_runtime_cu12-12.1.105-py3-none-manylinux1_x86_64.whl",
            "6e258468ddf5796e25f1dc591a31029fa317d97a0a94ed93468fc86301d61e40",
            ["nvidia/cuda_runtime/lib/libcudart.so.12"],
        ),
        _wheel(
            "nvidia_cuda_cupti_cu12-12.1.105-py3-none-manylinux1_x86_64.whl",
            "e54fde3983165c624cb79254ae9818a456eb6e87a7fd4d56a2352c24ee542d7e",
            ["nvidia/cuda_cupti/lib/libcupti.so.12"],
        ),
    ],
    "2.7": [
        _wheel(
            "torch-2.7.1-cp310-cp310-manylinux_2_28_x86_64.whl",
            "fe955951bdf32d182ee8ead6c3186ad54781492bf03d547d31771a01b3d6fb7d",
            ["torch/lib/libtorch_cpu.so", "torch/lib/libc10.so", "torch/lib/libgomp*"],
        ),
        _wheel(
            "nvidia_cuda_runtime_cu12-12.6.77-py3-none-manylinux2014_x86_64.whl",
            "a84d15d5e1da416dd4774cb42edf5e954a3e60cc945698dc1d5be02321c44dc8",
            ["nvidia/cuda_runtime/lib/libcudart.so.12"],
        ),
        _wheel(
            "nvidia_cuda_cupti_cu12-12.6.80-py3-none-manylinux2014_x86_64.whl",
            "a3eff6cdfcc6a4c35db968a06fcadb061cbc7d6dde548609a941ff8701b98b73",
            ["nvidia/cuda_cupti/lib/libcupti.so.12"],
        ),
    ],
}

# The names of the old releases, oldest first.
OLD_RUNTIMES = list(_RELEASES.keys())

# Releases whose wheels are compiled with GCC's ABI of before C++11.
_OLD_ABI = ["1.6", "1.12", "2.1"]

def _name_cudart(ctx):
    # A program that is linked against this file looks for it by its soname.
    for library in ctx.path("lib").readdir():
        if library.basename.startswith("libcudart-"):
            ctx.symlink(library, "lib/libcudart" + library.basename[library.basename.index(".so"):])

def _old_libtorch_impl(ctx):
    release = ctx.attr.release
    for wheel in _RELEASES[release]:
        fetch_wheel(ctx, wheel.file, wheel.sha256)
        headers = "torch/include" if wheel.file.startswith("torch-") else None
        unpack_wheel(ctx, wheel.file, wheel.libraries, headers)
    _name_cudart(ctx)
    ctx.template("BUILD", ctx.attr.build_file, {
        "%{defines}": "\"_GLIBCXX_USE_CXX11_ABI=0\"" if release in _OLD_ABI else "",
    })

old_libtorch = repository_rule(
    doc = "LibTorch of another release than the one that Modelport is built with, for the CPU: include/ and lib/.",
    implementation = _old_libtorch_impl,
    attrs = {
        "release": attr.string(mandatory = True, values = _RELEASES.keys()),
        "build_file": attr.label(default = "//third_party:libtorch.BUILD", allow_single_file = True),
    },
)

def old_libtorchs():
    """Declares @libtorch_1.6, ..., one for each release."""
    for release in _RELEASES:
        old_libtorch(name = "libtorch_" + release, release = release)
