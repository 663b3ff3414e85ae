"""Embeds files in binaries."""

load("@rules_cc//cc:defs.bzl", "cc_library")

def embed_files(name, srcs, header, function, deps, hdrs = None):
    """A library that defines a function which returns the texts of `srcs`.

    Args:
      name: of the library.
      srcs: the files.
      header: path of the header that declares `absl::Span<const EmbeddedFile> function()`.
      function: its name.
      deps: the target of the header, or what the header needs if it is one of `hdrs`.
      hdrs: headers of the library.
    """
    native.genrule(
        name = name + "_source",
        srcs = srcs,
        outs = [name + ".cc"],
        cmd = "$(execpath //build_defs:embed) {} {} $(SRCS) > $@".format(header, function),
        tools = ["//build_defs:embed"],
    )
    cc_library(
        name = name,
        srcs = [name + ".cc"],
        hdrs = hdrs,
        deps = deps,
    )
