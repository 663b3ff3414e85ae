"""The fuller set of goldens, from the folder that the environment variable MODELPORT_GOLDENS names; empty when it is unset."""

def _goldens_impl(ctx):
    folder = ctx.os.environ.get("MODELPORT_GOLDENS", "")
    models = []
    build = 'package(default_visibility = ["//visibility:public"])\n'
    if folder:
        for path in ctx.path(folder).readdir():
            models.append(path.basename)
            ctx.symlink(path, path.basename)
            build += 'filegroup(name = "{0}", srcs = glob(["{0}/*"]))\n'.format(path.basename)
    ctx.file("BUILD", build)
    ctx.file("models.bzl", "MODELS = {}\n".format(repr(sorted(models))))

goldens = repository_rule(
    doc = "A filegroup for each model in the folder MODELPORT_GOLDENS, and MODELS, their names.",
    implementation = _goldens_impl,
    environ = ["MODELPORT_GOLDENS"],
    local = True,
)
