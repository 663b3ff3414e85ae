"""Embeds files in binaries."""

load("@rules_cc//cc:defs.bzl", "cc_library")

def _embedded_header_impl(ctx):
    header = ctx.actions.declare_file(ctx.label.name)
    guard = "MODELPORT_" + "".join([c if c.isalnum() else "_" for c in header.short_path.elems()]).upper() + "_"
    ctx.actions.write(header, """#ifndef {guard}
#define {guard}

#include "absl/types/span.h"
#include "common/text/template.h"

namespace modelport {{

absl::Span<const EmbeddedFile> {function}();

}}  // namespace modelport

#endif  // {guard}
""".format(guard = guard, function = ctx.attr.function))
    return [DefaultInfo(files = depset([header]))]

_embedded_header = rule(
    implementation = _embedded_header_impl,
    doc = "A header, named as the target, that declares `function`.",
    attrs = {"function": attr.string(mandatory = True)},
)

def embed_files(name, srcs, function, header = None, deps = None, hdrs = None):
    """A library that defines a function which returns the texts of `srcs`: absl::Span<const EmbeddedFile> function().

    Args:
      name: of the library.
      srcs: the files.
      function: its name.
      header: path of the header that declares it. By default it is made: NAME.h in this package.
      deps: the target of the header, or what the header needs if it is one of `hdrs`.
      hdrs: headers of the library.
    """
    if not header:
        _embedded_header(
            name = name + ".h",
            function = function,
        )
        header = "{}/{}.h".format(native.package_name(), name)
        hdrs = [name + ".h"]
        deps = [
            Label("//common/text:template"),
            Label("@com_google_absl//absl/types:span"),
        ]
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
