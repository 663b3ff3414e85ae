"""LibTorch: from PyTorch's official CPU wheel, or from a folder of the user's own."""

load("//third_party:wheel.bzl", "fetch_wheel", "run_command", "unpack_wheel")

LIBTORCH_VERSION = "2.13.0"
_WHEEL = "torch-2.13.0+cpu-cp311-cp311-manylinux_2_28_x86_64.whl"
_SHA256 = "6746dbcbeb526eb61330b76b41ff1b4eb848951103a892eeb080dfa2b264667b"
_CPU_INDEX = "https://download.pytorch.org/whl/cpu"

# Libraries of a user's own LibTorch. Those that exist are linked; a CUDA build has all of them.
_LIBRARIES = ["torch", "torch_cpu", "torch_cuda", "c10", "c10_cuda"]

def _write_wheel(ctx, version, sha256):
    """Writes wheel.bzl, with the version and the digest of the wheel that LibTorch comes from; both are empty for a LibTorch of the user's own."""
    ctx.file("wheel.bzl", "VERSION = {}\nSHA256 = {}\n".format(repr(version), repr(sha256)))

def _use_own(ctx, folder):
    lib = folder + "/lib"
    for needed in ["/include/torch/script.h", "/lib/libtorch_cpu.so", "/lib/libc10.so"]:
        if not folder.startswith("/") or not ctx.path(folder + needed).exists:
            fail("MODELPORT_LIBTORCH={}: no {}{}; it must be the absolute path of a LibTorch folder, with include/ and lib/".format(
                folder,
                folder,
                needed,
            ))
    check = ctx.execute(["sh", str(ctx.path(Label("//third_party:check_libtorch.sh"))), folder, LIBTORCH_VERSION])
    if check.return_code:
        fail("MODELPORT_LIBTORCH=" + check.stderr.strip())
    libraries = [name for name in _LIBRARIES if ctx.path("{}/lib{}.so".format(lib, name)).exists]
    for name in libraries:
        ctx.symlink("{}/lib{}.so".format(lib, name), "lib/lib{}.so".format(name))
    digests = run_command(ctx, ["sha256sum"] + ["{}/lib{}.so".format(lib, name) for name in libraries])
    ctx.file("libraries", digests)
    digest = run_command(ctx, ["sha256sum", "libraries"]).split(" ")[0]
    run_command(ctx, ["cp", "-rL", folder + "/include", "include"])
    _write_wheel(ctx, "", "")
    ctx.template("BUILD", ctx.attr.own_build_file, {
        "%{digest}": digest,
        "%{lib}": lib,
        "%{libraries}": ", ".join(["\"-l{}\"".format(name) for name in libraries]),
    })

def _write_licences(ctx):
    """Writes the licences of LibTorch and of all that is in it, as the wheel has them, to the file licences/libtorch."""
    run_command(ctx, ["unzip", "-q", _WHEEL, "*.dist-info/licenses/*", "-d", "all_licences"])
    ctx.file("concatenate", """cd all_licences/*.dist-info/licenses
find . -type f | LC_ALL=C sort | while read -r file; do
  echo "==== ${file#./}"
  cat "$file"
  echo
done
""", executable = False)
    ctx.file("licences/libtorch", run_command(ctx, ["sh", "concatenate"]), executable = False)
    ctx.delete("concatenate")
    ctx.delete("all_licences")

def _libtorch_impl(ctx):
    folder = ctx.os.environ.get("MODELPORT_LIBTORCH", "")
    if folder:
        _use_own(ctx, folder)
    else:
        cure = "\n  set MODELPORT_LIBTORCH to the folder of a LibTorch of your own to do without"
        fetch_wheel(ctx, _WHEEL, _SHA256, index = _CPU_INDEX, cure = cure)
        _write_licences(ctx)
        libraries = ["torch/lib/" + name for name in ["libtorch_cpu.so", "libc10.so", "libgomp*"]]
        unpack_wheel(ctx, _WHEEL, libraries, headers = "torch/include")
        _write_wheel(ctx, _WHEEL.split("-")[1], _SHA256)
        ctx.template("BUILD", ctx.attr.build_file, {"%{defines}": ""})

    # LibTorch carries headers of an old Protobuf, which would shadow the system's.
    ctx.delete("include/google")

libtorch = repository_rule(
    doc = "LibTorch {} (include/ and lib/), or the one in the folder that MODELPORT_LIBTORCH names.".format(LIBTORCH_VERSION),
    implementation = _libtorch_impl,
    attrs = {
        "build_file": attr.label(default = "//third_party:libtorch.BUILD", allow_single_file = True),
        "own_build_file": attr.label(default = "//third_party:own_libtorch.BUILD", allow_single_file = True),
    },
    environ = ["MODELPORT_LIBTORCH"],
)
