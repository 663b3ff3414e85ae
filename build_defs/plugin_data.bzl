"""Programs and tests with the plugins that they read, and no others: a test that names its families does not run again when another one changes."""

load("@plugin_catalog//:plugins.bzl", "FAMILIES")
load("//models:plugins.bzl", "HOSTS", "PLUGINS")

def used_families(family):
    """The families that `family` uses, and those that they use."""
    found = {used: None for used in FAMILIES[family].uses}
    for _ in FAMILIES:
        for name in found.keys():
            found.update({used: None for used in FAMILIES[name].uses if used in FAMILIES})
    return found.keys()

def plugin_data(families):
    """The data of a test that reads the plugins of these families, their test plugins in testdata/, and what they use.

    Args:
      families: of Modelport's own.
    """
    found = {family: None for family in families}
    for family in families:
        found.update({used: None for used in used_families(family)})
    return ["//models/{}:all_files".format(family) for family in sorted(found) if family in PLUGINS] + \
           ["//targets/{}:plugin".format(host) for host in HOSTS]

def _without_plugins_impl(ctx):
    files = ctx.attr.program[DefaultInfo].default_runfiles.files.to_list()
    return [DefaultInfo(
        files = depset([ctx.executable.program]),
        runfiles = ctx.runfiles(files = [file for file in files if file.extension not in ["yaml", "safetensors"]]),
    )]

without_plugins = rule(
    implementation = _without_plugins_impl,
    doc = "A program for the data of tests which have the plugins that it shall find: the same file without the plugins in its runfiles.",
    attrs = {"program": attr.label(cfg = "target", executable = True, mandatory = True)},
)
