"""Libraries and tests of this repository: by default those of the files that have the target's name, and with what nearly all of them use."""

load("@rules_cc//cc:defs.bzl", _cc_binary = "cc_binary", _cc_library = "cc_library", _cc_test = "cc_test")

_EVERYWHERE = ["@com_google_absl//absl/" + name for name in [
    "functional:function_ref",
    "status",
    "status:statusor",
    "strings",
    "strings:str_format",
    "types:optional",
    "types:span",
]] + [str(Label("//common/status:status_macros"))]

def cc_library(name, files = None, srcs = None, hdrs = None, deps = [], **kwargs):
    """A library, whose `deps` do not name Abseil's statuses, strings, optional, Span and FunctionRef, nor the macros of statuses.

    Args:
      name: of the library.
      files: each stands for its source and its header, FILE.cc and FILE.h.
      srcs: further sources; by default, without `files`, NAME.cc.
      hdrs: further headers; by default, without `files`, NAME.h.
      deps: what the library uses besides.
      **kwargs: further attributes.
    """
    pairs = files or []
    _cc_library(
        name = name,
        srcs = [name + ".cc"] if srcs == None and files == None else [file + ".cc" for file in pairs] + (srcs or []),
        hdrs = [name + ".h"] if hdrs == None and files == None else [file + ".h" for file in pairs] + (hdrs or []),
        deps = deps + _EVERYWHERE,
        **kwargs
    )

def cc_binary(name, srcs = None, deps = [], **kwargs):
    """A program, whose `deps` do not name what those of a library do not name.

    Args:
      name: of the program.
      srcs: by default NAME.cc.
      deps: what the program uses besides.
      **kwargs: further attributes.
    """
    _cc_binary(
        name = name,
        srcs = [name + ".cc"] if srcs == None else srcs,
        deps = deps + _EVERYWHERE,
        **kwargs
    )

def cc_test(name, srcs = None, size = "small", deps = [], main = "@com_google_googletest//:gtest_main", **kwargs):
    """A test, whose `deps` do not name GoogleTest and its matchers of statuses either.

    Args:
      name: of the test.
      srcs: by default NAME.cc.
      size: of the test.
      deps: what the test uses besides.
      main: the library that has the function main.
      **kwargs: further attributes.
    """
    _cc_test(
        name = name,
        size = size,
        srcs = [name + ".cc"] if srcs == None else srcs,
        deps = deps + _EVERYWHERE + [
            main,
            str(Label("//common/status:status_matchers")),
        ],
        **kwargs
    )

def _joined_source_impl(ctx):
    source = ctx.actions.declare_file(ctx.label.name)
    ctx.actions.write(source, "".join(['#include "{}"\n'.format(file.path) for file in ctx.files.srcs]))
    return [DefaultInfo(files = depset([source]))]

_joined_source = rule(
    implementation = _joined_source_impl,
    doc = "A source, named as the target, that includes each of `srcs`.",
    attrs = {"srcs": attr.label_list(allow_files = [".cc"], mandatory = True)},
)

def joined_test(name, srcs = None, apart = [], deps = [], **kwargs):
    """A cc_test whose sources are compiled as one.

    LibTorch's headers cost a compilation 5 s and more, a test's own code 1 or 2 s. A package's tests pay for the headers once here. In return,
    a change of one file compiles all of them again, in up to 1.5 GB of memory, and their names share a namespace: two files cannot both
    define a function `Toy`. `--test_filter=SUITE.*` runs the tests of one file.

    Args:
      name: of the test. It ends in _test, so that .bazelrc compiles the joined source as a test's, without optimisation.
      srcs: the files, each of which could be the source of a cc_test; by default each *_test.cc of this package but those of `apart`.
      apart: the names of the package's other tests.
      deps: what the files include.
      **kwargs: further attributes of the cc_test. Tests that differ in their size or tags are not joined,
        nor is one that changes what the process has, such as its current folder.
    """

    if srcs == None:
        srcs = native.glob(["*_test.cc"], exclude = [test + ".cc" for test in apart])

    # Included files are inputs of the compilation, and sources to source_files().
    _cc_library(
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

def package_tests():
    """The suite `tests` of all tests of the package, for //tests/house."""
    native.test_suite(
        name = "tests",
        visibility = ["//tests/house:__pkg__"],
    )
