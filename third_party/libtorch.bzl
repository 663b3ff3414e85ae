"""LibTorch: from PyTorch's official CPU wheel, or from a folder of the user's own."""

_VERSION = "2.13.0"
_WHEEL = "torch-2.13.0+cpu-cp311-cp311-manylinux_2_28_x86_64.whl"
_SHA256 = "6746dbcbeb526eb61330b76b41ff1b4eb848951103a892eeb080dfa2b264667b"
_CPU_INDEX = "https://download.pytorch.org/whl/cpu"

# Pins the file, whatever Python the user has. pip only fetches: no Python is needed to build or run. Debian's own Python has the pip
# that bazelw installs; another one in front of it may have none.
_PIP_DOWNLOAD = [
    "/usr/bin/python3",
    "-I",
    "-m",
    "pip",
    "--disable-pip-version-check",
    "download",
    "--quiet",
    "--no-deps",
    "--only-binary=:all:",
    "--python-version=3.11",
    "--implementation=cp",
    "--abi=cp311",
    "--platform=manylinux_2_28_x86_64",
    "--dest=wheel",
    "torch=={}+cpu".format(_VERSION),
]

# Of a user's own LibTorch, those that exist are linked; a CUDA build has all of them.
_LIBRARIES = ["torch", "torch_cpu", "torch_cuda", "c10", "c10_cuda"]

def _fetch_wheel(ctx):
    """Downloads the wheel from the user's configured indexes, else from PyTorch's own, and verifies its sha256."""
    errors = []
    for index in [[], ["--index-url", _CPU_INDEX]]:
        ctx.report_progress("fetching " + _WHEEL)
        fetched = ctx.execute(_PIP_DOWNLOAD + index, timeout = 3600)
        if fetched.return_code == 0:
            break
        errors.append(fetched.stderr.strip())
    if len(errors) == 2:
        fail("LibTorch {}: no package index has {}\n  the configured indexes: {}\n  {}: {}\n".format(
            _VERSION,
            _WHEEL,
            errors[0],
            _CPU_INDEX,
            errors[1],
        ) + "  set MODELPORT_LIBTORCH to the folder of a LibTorch of your own to do without")
    digest = ctx.execute(["sha256sum", "wheel/" + _WHEEL]).stdout.split(" ")[0]
    if digest != _SHA256:
        fail("LibTorch {}: {} wants sha256 {}, has {}: the package index serves another file".format(
            _VERSION,
            _WHEEL,
            _SHA256,
            digest,
        ))

def _run(ctx, command):
    result = ctx.execute(command)
    if result.return_code:
        fail("LibTorch {}: {}: {}".format(_VERSION, " ".join(command), result.stderr))
    return result.stdout

def _unpack_wheel(ctx):
    members = ["torch/lib/libtorch_cpu.so", "torch/lib/libc10.so", "torch/lib/libgomp*", "torch/include/*"]
    _run(ctx, ["unzip", "-q", "wheel/" + _WHEEL] + members)
    _run(ctx, ["mv", "torch/lib", "torch/include", "."])
    ctx.delete("torch")
    ctx.delete("wheel")

def _use_own(ctx, folder):
    lib = folder + "/lib"
    for needed in ["/include/torch/script.h", "/lib/libtorch_cpu.so", "/lib/libc10.so"]:
        if not folder.startswith("/") or not ctx.path(folder + needed).exists:
            fail("MODELPORT_LIBTORCH={}: no {}{}; it must be the absolute path of a LibTorch folder, with include/ and lib/".format(
                folder,
                folder,
                needed,
            ))
    libraries = [name for name in _LIBRARIES if ctx.path("{}/lib{}.so".format(lib, name)).exists]
    digests = _run(ctx, ["sha256sum"] + ["{}/lib{}.so".format(lib, name) for name in libraries])
    ctx.file("libraries", digests)
    digest = _run(ctx, ["sha256sum", "libraries"]).split(" ")[0]
    _run(ctx, ["cp", "-rL", folder + "/include", "include"])
    ctx.template("BUILD", ctx.attr.own_build_file, {
        "%{digest}": digest,
        "%{lib}": lib,
        "%{libraries}": ", ".join(["\"-l{}\"".format(name) for name in libraries]),
    })

def _libtorch_impl(ctx):
    folder = ctx.os.environ.get("MODELPORT_LIBTORCH", "")
    if folder:
        _use_own(ctx, folder)
    else:
        _fetch_wheel(ctx)
        _unpack_wheel(ctx)
        ctx.template("BUILD", ctx.attr.build_file)

    # LibTorch carries headers of an old Protobuf, which would shadow the system's.
    ctx.delete("include/google")

libtorch = repository_rule(
    doc = "LibTorch {} (include/ and lib/), or the one in the folder that MODELPORT_LIBTORCH names.".format(_VERSION),
    implementation = _libtorch_impl,
    attrs = {
        "build_file": attr.label(default = "//third_party:libtorch.BUILD", allow_single_file = True),
        "own_build_file": attr.label(default = "//third_party:own_libtorch.BUILD", allow_single_file = True),
    },
    environ = ["MODELPORT_LIBTORCH"],
)
