"""Collects the source files that programs and tests are built from, as data of a test."""

_SourcesInfo = provider(fields = ["files"])

# Those of a test_suite() stand for the tests of its package.
_DEPENDENCIES = ["deps", "_implicit_tests"]

def _collect_sources_impl(target, ctx):
    deps = [dep for attribute in _DEPENDENCIES for dep in getattr(ctx.rule.attr, attribute, [])]
    transitive = [dep[_SourcesInfo].files for dep in deps if _SourcesInfo in dep]
    own = []
    if not target.label.workspace_name:
        for attribute in ["srcs", "hdrs", "textual_hdrs"]:
            own += [file for file in getattr(ctx.rule.files, attribute, []) if file.is_source]
    return [_SourcesInfo(files = depset(own, transitive = transitive))]

_collect_sources = aspect(
    implementation = _collect_sources_impl,
    attr_aspects = _DEPENDENCIES,
)

def _source_files_impl(ctx):
    files = depset(ctx.files.srcs, transitive = [dep[_SourcesInfo].files for dep in ctx.attr.deps])
    names = ctx.actions.declare_file(ctx.label.name + ".txt")
    ctx.actions.write(names, "".join(sorted([file.path + "\n" for file in files.to_list()])))
    return [DefaultInfo(runfiles = ctx.runfiles(files = [names], transitive_files = files))]

source_files = rule(
    implementation = _source_files_impl,
    doc = "The files `srcs`, this repository's own sources of `deps` and of all that they need, and NAME.txt, which lists their paths.",
    attrs = {
        "deps": attr.label_list(aspects = [_collect_sources]),
        "srcs": attr.label_list(allow_files = True),
    },
)

def code_files():
    """The filegroup `code`: every source and script of the package, also one that no target names."""
    native.filegroup(
        name = "code",
        srcs = native.glob([
            "**/*.cc",
            "**/*.h",
            "**/*.proto",
            "**/*.py",
            "**/*.sh",
        ], allow_empty = True) + native.glob(["*"], exclude = ["*.*", "BUILD"], allow_empty = True),
        visibility = ["//tests/house:__pkg__"],
    )
