"""Abseil from Debian, under upstream's labels: @com_google_absl//absl/strings, ..."""

load("//third_party:debian.bzl", "INSTALLED", "write_versions")

# Upstream's package and target -> the pkg-config module that links it. Add a line to use another one.
_TARGETS = {
    "absl/cleanup:cleanup": "absl_cleanup",
    "absl/container:flat_hash_map": "absl_flat_hash_map",
    "absl/container:flat_hash_set": "absl_flat_hash_set",
    "absl/flags:marshalling": "absl_flags_marshalling",
    "absl/functional:function_ref": "absl_function_ref",
    "absl/hash:hash": "absl_hash",
    "absl/memory:memory": "absl_memory",
    "absl/status:status": "absl_status",
    "absl/status:statusor": "absl_statusor",
    "absl/strings:str_format": "absl_str_format",
    "absl/strings:strings": "absl_strings",
    "absl/time:time": "absl_time",
    "absl/types:optional": "absl_optional",
    "absl/types:span": "absl_span",
}

_PACKAGE = """load("//:versions.bzl", "VERSIONS")
"""

_TARGET = """
cc_library(
    name = "{name}",
    data = ["//:versions.bzl"],
    defines = VERSIONS,
    linkopts = {linkopts} + ["-D" + version for version in VERSIONS],
    visibility = ["//visibility:public"],
)
"""

def _link_options(ctx, module):
    query = ctx.execute(["pkg-config", "--libs-only-l", module])
    if query.return_code:
        fail("pkg-config {}: {}".format(module, query.stderr))
    return query.stdout.strip().split(" ")

def _debian_abseil_impl(ctx):
    write_versions(ctx, ["libabsl-dev", "pkg-config"])
    ctx.file("BUILD", "exports_files([\"versions.bzl\"])\n")
    packages = {}
    for label, module in _TARGETS.items():
        package, name = label.split(":")
        target = _TARGET.format(name = name, linkopts = repr(_link_options(ctx, module)))
        packages[package] = packages.get(package, _PACKAGE) + target
    for package, text in packages.items():
        ctx.file(package + "/BUILD", text)

debian_abseil = repository_rule(
    doc = "The Abseil libraries of the Debian package libabsl-dev.",
    implementation = _debian_abseil_impl,
    attrs = {"_installed": INSTALLED},
)
