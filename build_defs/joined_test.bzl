"""Tests of one package, compiled as one source."""

load("@rules_cc//cc:defs.bzl", "cc_library", "cc_test")

def _joined_source_impl(ctx):
    source = ctx.actions.declare_file(ctx.label.name)
    ctx.actions.write(source, "".join(['#include "{}"\n'.format(file.path) for file in ctx.files.srcs]))
    return [DefaultInfo(files = depset([source]))]

_joined_source = rule(
    implementation = _joined_source_impl,
    doc = "A source, named as the target, that includes each of `srcs`.",
    attrs = {"srcs": attr.label_list(allow_files = [".cc"], mandatory = True)},
)

def joined_test(name, srcs, deps, **kwargs):
    """A cc_test whose sources are compiled as one.

    LibTorch's headers cost a compilation 5 s and more, a test's own code 1 or 2 s. A package's tests pay for the headers once here. In return,
    a change of one file compiles all of them again, in up to 1.5 GB of memory, and their names share a namespace: two files cannot both
    define a function `Toy`. `--test_filter=SUITE.*` runs the tests of one file.

    Args:
      name: of the test. It ends in _test, so that .bazelrc optimises the joined source as a test's.
      srcs: the files of this package, each of which could be the source of a cc_test.
      deps: what they include.
      **kwargs: further attributes of the cc_test. Tests that differ in their size or tags are not joined,
        nor is one that changes what the process has, such as its current folder.
    """

    # Included files are inputs of the compilation, and sources to source_files().
    cc_library(
        name = name + "_sources",
        testonly = True,
        textual_hdrs = srcs,
    )
    source = "joined_{}.cc".format(name)
    _joined_source(
        name = source,
        testonly = True,
        srcs = srcs,
    )
    cc_test(
        name = name,
        srcs = [":" + source],
        deps = deps + [":{}_sources".format(name)],
        **kwargs
    )
