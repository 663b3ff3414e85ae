"""Repositories made of installed Debian packages.

A package's headers and libraries are in /usr, which every sandbox sees, so a target needs only link options. Bazel does not track
changes there. Every command that compiles or links against a package therefore defines macros with the installed versions of the
package and of the compiler, which no code uses: so neither a shared cache nor an earlier build provides objects of other versions.
"""

# Dpkg's list of what is installed. A repository rule with this attribute looks again when it changes, under a running server, too.
INSTALLED = attr.label(default = "@dpkg//:status", allow_single_file = True)

_COMPILER = ["gcc-12", "libc6-dev", "libstdc++-12-dev"]

def _macro(package):
    return "DEBIAN_" + package.replace("+", "X").replace("-", "_").replace(".", "_").upper()

def write_versions(ctx, packages):
    """Writes versions.bzl, whose VERSIONS lists the versions of `packages` and of the compiler as macro definitions.

    Args:
      ctx: the repository context.
      packages: names of Debian packages, all of which must be installed.
    """
    query = ctx.execute(["dpkg-query", "-W", "-f", "${Package} ${Version}\n"] + packages + _COMPILER)
    if query.return_code:
        fail("Debian packages are missing; ./bazelw installs them\n" + query.stderr.strip())
    versions = []
    for line in query.stdout.splitlines():
        package, version = line.split(" ")
        versions.append("{}={}".format(_macro(package), version))
    ctx.file("versions.bzl", "VERSIONS = {}\n".format(repr(versions)))

def _debian_library_impl(ctx):
    write_versions(ctx, ctx.attr.packages)
    for folder, path in ctx.attr.headers.items():
        ctx.symlink(path, folder)
    ctx.template("BUILD", ctx.attr.build_file)

debian_library = repository_rule(
    doc = "A repository whose targets link libraries of installed Debian packages.",
    implementation = _debian_library_impl,
    attrs = {
        "packages": attr.string_list(mandatory = True, doc = "The packages whose versions BUILD loads."),
        "build_file": attr.label(mandatory = True, allow_single_file = True, doc = "The BUILD file of the repository."),
        "headers": attr.string_dict(doc = "Folders of the repository, and the folders of headers below /usr that they lead to, for headers that " +
                                          "include each other without their folder's name."),
        "_installed": INSTALLED,
    },
)

def _debian_rules_cc_impl(ctx):
    ctx.execute(["cp", "-rL", "/usr/share/bazel/rules/cc/.", "."])

    # Debian's rules_cc 0.0.4 uses a symbol that Debian's Bazel 4.2.3 does not have.
    for name in ["compiler_flag.bzl", "cc_flags_supplier.bzl"]:
        path = "cc/private/rules_impl/" + name
        text = ctx.read(path)
        text = text.replace(', "use_cpp_toolchain"', "")
        text = text.replace("toolchains = use_cpp_toolchain()", 'toolchains = ["@bazel_tools//tools/cpp:toolchain_type"]')
        ctx.file(path, text)

debian_rules_cc = repository_rule(
    doc = "rules_cc from the Debian package bazel-rules-cc, changed to work with Debian's Bazel.",
    implementation = _debian_rules_cc_impl,
    local = True,
)
