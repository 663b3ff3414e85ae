"""Repositories made of installed Debian packages.

A package's headers and libraries lie in /usr, which every sandbox sees, so a target needs only link options. Bazel cannot see
a change there, so the installed versions (of the package and of the compiler) are written into a header that every dependent
action has as an input: a shared cache never serves objects built against other versions.
"""

_COMPILER = ["g++", "gcc-12", "libstdc++-12-dev"]

def versions_header(ctx, packages):
    """Writes versions.h naming the installed versions of `packages` and of the compiler.

    Args:
      ctx: the repository context.
      packages: names of Debian packages, all of which must be installed.
    """
    query = ctx.execute(["dpkg-query", "-W", "-f", "// ${Package} ${Version}\n"] + packages + _COMPILER)
    if query.return_code:
        fail("Debian packages are missing: {}\nrun ./bazelw once (it installs them), or: apt-get install {}".format(
            query.stderr.strip(),
            " ".join(packages),
        ))
    ctx.file("versions.h", query.stdout)

def _debian_library_impl(ctx):
    versions_header(ctx, ctx.attr.packages)
    ctx.template("BUILD", ctx.attr.build_file)

debian_library = repository_rule(
    doc = "A repository whose targets link libraries of installed Debian packages.",
    implementation = _debian_library_impl,
    attrs = {
        "packages": attr.string_list(mandatory = True, doc = "The packages, whose versions become inputs."),
        "build_file": attr.label(mandatory = True, allow_single_file = True, doc = "The BUILD file of the repository."),
    },
    # bazelw sets it from the installed versions, so that an upgrade refetches even under a running server.
    environ = ["MODELPORT_DEBIAN_VERSIONS"],
    local = True,
)

def _debian_rules_cc_impl(ctx):
    ctx.execute(["cp", "-rL", "/usr/share/bazel/rules/cc/.", "."])

    # Debian's rules_cc 0.0.4 uses a symbol that Debian's Bazel 4.2.3 does not have yet.
    for name in ["compiler_flag.bzl", "cc_flags_supplier.bzl"]:
        path = "cc/private/rules_impl/" + name
        text = ctx.read(path)
        text = text.replace(', "use_cpp_toolchain"', "")
        text = text.replace("toolchains = use_cpp_toolchain()", 'toolchains = ["@bazel_tools//tools/cpp:toolchain_type"]')
        ctx.file(path, text)

debian_rules_cc = repository_rule(
    doc = "rules_cc from the Debian package bazel-rules-cc, fitted to Debian's Bazel.",
    implementation = _debian_rules_cc_impl,
    local = True,
)
