"""LibTorch: from PyTorch's official CPU wheel, or from a folder of the user's own."""

_VERSION = "2.13.0"
_WHEEL = "torch-2.13.0+cpu-cp311-cp311-manylinux_2_28_x86_64.whl"
_SHA256 = "6746dbcbeb526eb61330b76b41ff1b4eb848951103a892eeb080dfa2b264667b"
_CPU_INDEX = "https://download.pytorch.org/whl/cpu"

# Pins the file, whatever Python the machine has. pip only fetches: no Python is needed to build or run.
_PIP_DOWNLOAD = [
    "python3",
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
        fail("LibTorch {}: no package index has {}.\nThe configured indexes: {}\n{}: {}\n".format(
            _VERSION,
            _WHEEL,
            errors[0],
            _CPU_INDEX,
            errors[1],
        ) + "Set MODELPORT_LIBTORCH to the folder of a LibTorch of your own to go without.")
    digest = ctx.execute(["sha256sum", "wheel/" + _WHEEL]).stdout.split(" ")[0]
    if digest != _SHA256:
        fail("LibTorch {}: {} has sha256 {}, expected {}: the index serves another file".format(
            _VERSION,
            _WHEEL,
            digest,
            _SHA256,
        ))

def _unpack_wheel(ctx):
    members = ["torch/lib/libtorch_cpu.so", "torch/lib/libc10.so", "torch/lib/libgomp*", "torch/include/*"]
    unzipped = ctx.execute(["unzip", "-q", "wheel/" + _WHEEL] + members)
    if unzipped.return_code:
        fail("LibTorch {}: cannot unpack {}: {}".format(_VERSION, _WHEEL, unzipped.stderr))
    ctx.execute(["mv", "torch/lib", "torch/include", "."])
    ctx.delete("wheel")
    ctx.delete("torch")

    # The wheel carries headers of an old Protobuf, which would shadow the system's.
    ctx.delete("include/google")

def _use_local(ctx, folder):
    root = ctx.path(folder)
    for needed in ["include/torch/script.h", "lib/libtorch_cpu.so", "lib/libc10.so"]:
        if not root.get_child(needed).exists:
            fail("MODELPORT_LIBTORCH={}: no {} there; it must be a LibTorch folder (include/ and lib/)".format(folder, needed))
    ctx.execute(["cp", "-rL", str(root.get_child("include")), "include"])
    ctx.delete("include/google")
    ctx.symlink(root.get_child("lib"), "lib")

def _libtorch_impl(ctx):
    folder = ctx.os.environ.get("MODELPORT_LIBTORCH", "")
    if folder:
        _use_local(ctx, folder)
    else:
        _fetch_wheel(ctx)
        _unpack_wheel(ctx)
    ctx.template("BUILD", ctx.attr.build_file)

libtorch = repository_rule(
    doc = "LibTorch {} (include/ and lib/), or the one in the folder that MODELPORT_LIBTORCH names.".format(_VERSION),
    implementation = _libtorch_impl,
    attrs = {"build_file": attr.label(default = "//third_party:libtorch.BUILD", allow_single_file = True)},
    environ = ["MODELPORT_LIBTORCH"],
)
