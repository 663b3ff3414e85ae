"""The programs of a release, with which a repository of one's own exports without compiling Modelport."""

load("//release:version.bzl", "VERSION")

ModelportReleaseInfo = provider(
    doc = "The exporter of a release, whose program has the other commands of rules, too.",
    fields = {
        "program": "modelport",
        "files": "depset of it and what it reads",
    },
)

def rule_command(ctx, name, program):
    """The command NAME of a rule, as the fields of ctx.actions.run: that of the release whose exporter the rule has as _export, else `program`.

    Args:
      ctx: of the rule.
      name: of the command: package_artifact.
      program: the attribute of its own program.

    Returns:
      The executable, its first arguments, and the files that it reads.
    """
    if ModelportReleaseInfo in ctx.attr._export:
        release = ctx.attr._export[ModelportReleaseInfo]
        return release.program, [name], release.files
    return getattr(ctx.executable, program), [], getattr(ctx.attr, program)[DefaultInfo].default_runfiles.files

def _release_exporter_impl(ctx):
    # In an action the program lies among the script's runfiles.
    script = ctx.actions.declare_file(ctx.label.name + ".sh")
    program = ctx.file.program.short_path[len("../"):]
    ctx.actions.write(script, '#!/bin/sh\nexec "$0.runfiles/{}" export "$@"\n'.format(program), is_executable = True)
    files = depset(ctx.files.data + [ctx.file.program])
    return [
        DefaultInfo(executable = script, runfiles = ctx.runfiles(transitive_files = files)),
        ModelportReleaseInfo(program = ctx.file.program, files = files),
    ]

release_exporter = rule(
    implementation = _release_exporter_impl,
    doc = "The exporter of an unpacked release.",
    executable = True,
    attrs = {
        "data": attr.label_list(allow_files = True),
        "program": attr.label(allow_single_file = True),
    },
)

_BUILD = """load("@{}//build_defs:modelport_release.bzl", "release_exporter")

release_exporter(
    name = "export",
    data = glob(["release/bin/**", "release/lib/**", "release/share/modelport/**"]),
    program = "release/bin/modelport",
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
    ctx.file("BUILD", _BUILD.format(Label("//:modelport").workspace_name))

_modelport_release = repository_rule(
    implementation = _modelport_release_impl,
    attrs = {
        "sha256": attr.string(mandatory = True),
        "urls": attr.string_list(mandatory = True),
        "version": attr.string(mandatory = True),
    },
)

def modelport_release(version, sha256, urls):
    """Declares @modelport_release. `build --@modelport//build_defs:exporter=@modelport_release//:export` in .bazelrc lets it make all artifacts,
    folders for hosts, pages and bills of materials.

    Args:
      version: of the release, which the repository @modelport has, too: "0.1.0".
      sha256: of its archive, modelport-VERSION-linux-x86_64.tar.zst.
      urls: where the archive is.
    """
    _modelport_release(name = "modelport_release", sha256 = sha256, urls = urls, version = version)
