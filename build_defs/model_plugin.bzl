"""How a model family becomes a part of Modelport: a folder of YAML, one model_plugin() in its BUILD file, and its name in
the list of models/BUILD."""

load("@plugin_catalog//:plugins.bzl", "FAMILIES")
load("@rules_cc//cc:defs.bzl", "cc_test")
load("//build_defs:embed_files.bzl", "embed_files")
load("//build_defs:model_artifact.bzl", "model_artifact", "model_family")
load("//models:plugins.bzl", "HOSTS", "PLUGINS")

# The LibTorch releases that a variant can be exported for beside the newest, as //tools:export has them.
_RUNTIMES = ["1.6", "1.12", "2.1", "2.7"]

def _declare_variants(family):
    """Declares the artifacts of every variant: NAME, NAME_RUNTIME, and for each host NAME_HOST and NAME_HOST_RUNTIME."""
    for variant in FAMILIES[family].variants:
        for host in [""] + HOSTS:
            for runtime in [""] + _RUNTIMES:
                model_artifact(
                    name = "_".join([part for part in [variant, host, runtime] if part]),
                    family = ":family",
                    model = variant,
                    runtime = runtime,
                    tags = ["manual"],
                    target = host or "libtorch",
                )
    native.filegroup(
        name = "catalog",
        srcs = FAMILIES[family].variants,
        tags = ["manual"],
        visibility = ["//models:__pkg__"],
    )

def model_plugin(name):
    """Declares the plugin of the package's family, its test, and the artifacts of its variants.

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
    if name not in FAMILIES:
        fail("{} is not in models/plugins.bzl".format(name))
    native.filegroup(
        name = "yaml",
        srcs = native.glob(["*.yaml"]),
        visibility = ["//models:__pkg__"],
    )
    model_family(
        name = "family",
        srcs = [":yaml"],
        uses = ["{}:family".format(FAMILIES[used].package) for used in FAMILIES[name].uses],
        visibility = ["//:__subpackages__"],
    )
    _declare_variants(name)
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

def embedded_plugins(name):
    """Declares the library that embeds every plugin in a binary.

    Args:
      name: the library's name.
    """
    embed_files(
        name = name,
        srcs = ["//models/{}:yaml".format(plugin) for plugin in PLUGINS] +
               ["//targets/{}:yaml".format(host) for host in HOSTS],
        function = "EmbeddedPlugins",
        header = "registry/embedded_plugins.h",
        deps = ["//registry:embedded_plugins"],
    )
