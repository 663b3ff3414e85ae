"""The programs of a release, with which a repository of one's own exports without compiling Modelport."""

load("//release:version.bzl", "VERSION")

# In an action the program lies among the script's runfiles.
_EXPORT = """#!/bin/sh
exec "$0.runfiles/{}/release/bin/modelport" export "$@"
"""

_BUILD = """sh_binary(
    name = "export",
    srcs = ["export.sh"],
    data = glob(["release/bin/**", "release/lib/**", "release/share/modelport/**"]),
    visibility = ["//visibility:public"],
)
"""

def _modelport_release_impl(ctx):
    if ctx.attr.version != VERSION:
        fail("modelport_release: has version {}, and the repository of Modelport beside it is {}: take the same of both".format(ctx.attr.version, VERSION))
    ctx.download(ctx.attr.urls, "release.tar.zst", sha256 = ctx.attr.sha256)
    unpacked = ctx.execute(["sh", "-c", "mkdir release && tar --extract --file=release.tar.zst --directory=release --strip-components=1"])
    if unpacked.return_code:
        fail("modelport_release: {}: {}".format(", ".join(ctx.attr.urls), unpacked.stderr))
    ctx.delete("release.tar.zst")
    ctx.file("export.sh", _EXPORT.format(ctx.name))
    ctx.file("BUILD", _BUILD)

_modelport_release = repository_rule(
    implementation = _modelport_release_impl,
    attrs = {
        "sha256": attr.string(mandatory = True),
        "urls": attr.string_list(mandatory = True),
        "version": attr.string(mandatory = True),
    },
)

def modelport_release(version, sha256, urls):
    """Declares @modelport_release. `build --@modelport//build_defs:exporter=@modelport_release//:export` in .bazelrc lets it make all artifacts.

    Args:
      version: of the release, which the repository @modelport has, too: "0.1.0".
      sha256: of its archive, modelport-VERSION-linux-x86_64.tar.zst.
      urls: where the archive is.
    """
    _modelport_release(name = "modelport_release", sha256 = sha256, urls = urls, version = version)
