"""Macros for model families. A family is a folder of YAML, with one model_plugin() in its BUILD file and its name in the
list of models/BUILD."""

load("@rules_cc//cc:defs.bzl", "cc_test")
load("//build_defs:embed_files.bzl", "embed_files")

def model_plugin(name):
    """Declares the plugin of the package's family, and its test.

    Makes the filegroups :yaml for the catalog and :all_yaml, with testdata/, for tests, and NAME_plugin_test, which checks
    the plugin and, if there is one, the test plugin in testdata/.

    Args:
      name: the family, which is the folder's name.
    """
    if not native.glob(["plugin.yaml"]):
        fail("{} has no plugin.yaml".format(native.package_name()))
    misnamed = native.glob(["**/*.yml"])
    if misnamed:
        fail("a plugin's files end in .yaml; rename " + ", ".join(misnamed))
    native.filegroup(
        name = "yaml",
        srcs = native.glob(["*.yaml"]),
        visibility = ["//models:__pkg__"],
    )
    native.filegroup(
        name = "all_yaml",
        srcs = native.glob(["**/*.yaml"]),
        visibility = ["//models:__pkg__"],
    )
    cc_test(
        name = name + "_plugin_test",
        size = "small",
        args = [name, native.package_name()],
        data = [":all_yaml"],
        deps = ["//registry:plugin_test_main"],
    )

def model_catalog(name, plugins, hosts):
    """Declares the library that embeds plugins in a binary.

    Args:
      name: the library's name.
      plugins: the families, sorted; each is a package below this one.
      hosts: the hosts whose package below //targets has shared wrappers, sorted.
    """
    if plugins != sorted(plugins):
        fail("the plugins must be sorted: " + ", ".join(sorted(plugins)))
    embed_files(
        name = name,
        srcs = ["//{}/{}:yaml".format(native.package_name(), plugin) for plugin in plugins] +
               ["//targets/{}:yaml".format(host) for host in hosts],
        function = "EmbeddedPlugins",
        header = "registry/embedded_plugins.h",
        deps = ["//registry:embedded_plugins"],
    )
