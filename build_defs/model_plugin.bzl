"""Macros for model families. A family is a folder of YAML, with one model_plugin() in its BUILD file and its name in the
list of models/plugins.bzl, or in another repository its plugin.yaml in the plugin_catalog() of WORKSPACE.

Macros run in the repository of the BUILD file, where a string such as "//registry:..." means that repository's own target. Label() means
a target of Modelport."""

load("@plugin_catalog//:plugins.bzl", "CHECKPOINTS", "FAMILIES")
load("//build_defs:family_tests.bzl", "family_tests")
load("//build_defs:golden_test.bzl", "artifact_golden_test")
load("//build_defs:model_artifact.bzl", "model_artifact", "model_family", "model_package")
load("//build_defs:packages.bzl", "runfiles_path", "this_package")
load("//build_defs:plugin_data.bzl", "used_families")
load("//build_defs:program_test.bzl", "program_test")
load("//models:plugins.bzl", "HOSTS", "PLUGINS")
load("//third_party:old_libtorch.bzl", "OLD_RUNTIMES")

def artifact_names(family):
    """The names of the model_artifact() targets of a family, without those for older runtimes.

    Args:
      family: of the catalog.
    """
    return [
        _join([variant, host, wrapper])
        for variant in FAMILIES[family].variants
        for host, wrapper in [("", "")] + FAMILIES[family].wrapped[variant]
    ]

def _join(parts):
    return "_".join([part for part in parts if part])

def _checkpoints(family, variant):
    """The files of a variant's weights: those of WORKSPACE, else the published one if it lies in this package; none: they are seeded."""
    published = FAMILIES[family].files[variant]
    return CHECKPOINTS.get(variant) or (native.glob([published], allow_empty = True) if published else [])

def _declare_onnx(variant, large, checkpoints, sizes):
    model_artifact(
        name = variant + "_onnx",
        checkpoints = checkpoints,
        external_data = large,
        family = ":family",
        large = large,
        model = variant,
        sizes = sizes,
        tags = ["manual"],
        target = "onnx",
        visibility = ["//visibility:public"],
    )

def _declare_artifacts(variant, wrapped, large, checkpoints):
    """The artifacts of a variant: NAME, NAME_HOST, NAME_HOST_WRAPPER for each but the default wrapper, and each with _RUNTIME.

    Those of hosts have a folder for the host, too: NAME_package."""
    for host, wrapper in [("", "")] + wrapped:
        for runtime in [""] + OLD_RUNTIMES:
            name = _join([variant, host, wrapper, runtime])
            if host:
                model_package(
                    name = name + "_package",
                    artifact = name,
                    tags = ["manual"],
                    visibility = ["//visibility:public"],
                )
            model_artifact(
                name = name,
                checkpoints = checkpoints,
                family = ":family",
                large = large,
                model = variant,
                runtime = runtime,
                tags = ["manual"],
                target = host or "libtorch",
                visibility = ["//visibility:public"],
                wrapper = wrapper,
            )

def _check_catalog(family):
    if family not in FAMILIES or FAMILIES[family].package != this_package():
        fail(("the catalog lacks {}:plugin.yaml\n  in Modelport, name {} in models/plugins.bzl; in a repository of your own, name " +
              "the file in plugin_catalog() of WORKSPACE").format(this_package().lstrip("@"), family))
    unknown = [used for used in FAMILIES[family].uses if used not in FAMILIES]
    if unknown:
        fail("{}/plugin.yaml: uses {}; the catalog has {}".format(native.package_name(), ", ".join(unknown), ", ".join(FAMILIES)))

def _plugin_files(family):
    """The files for a test of `family`, and the folders of --plugin_path: its own, and those that no program has built in."""
    data, folders = [":all_files"], [runfiles_path(FAMILIES[family].package)]
    used_and_layers = {used: None for used in used_families(family) + ["layers"] if used != family}
    for used in used_and_layers:
        data.append(FAMILIES[used].package + ":family")
        if used not in PLUGINS + HOSTS:
            folders.append(runfiles_path(FAMILIES[used].package))
    return data, ",".join(folders)

def _declare_variants(family, large, data, plugin_path, onnx_sizes, without_onnx):
    variants = FAMILIES[family].variants
    if type(onnx_sizes) == "string":
        onnx_sizes = {"": onnx_sizes}
    sized = [name for name in onnx_sizes if name]
    for argument, names in {"large": large, "onnx_sizes": sized, "without_onnx": without_onnx}.items():
        unknown = [name for name in names if name not in variants]
        if unknown:
            fail("{}: {} has no variant {}".format(argument, family, ", ".join(unknown)))
    for variant in variants:
        checkpoints = _checkpoints(family, variant)
        _declare_artifacts(variant, FAMILIES[family].wrapped[variant], variant in large, checkpoints)
        if variant not in without_onnx:
            _declare_onnx(variant, variant in large, checkpoints, onnx_sizes.get(variant) or onnx_sizes.get("", ""))
        if variant not in large and variant not in CHECKPOINTS:
            artifact_golden_test(variant, family, data, plugin_path, seeded = not checkpoints)
    native.filegroup(
        name = "catalog",
        srcs = [name for name in variants if name not in large or name in CHECKPOINTS],
        tags = ["manual"],
        visibility = ["//visibility:public"],
    )

def model_plugin(name, large = [], finders = [], onnx_sizes = "", without_onnx = []):
    """Declares the plugin of the package's family, its test, and the artifacts of its variants.

    NAME_plugin_test checks the plugin and, if there is one, the test plugin in testdata/; family_tests.bzl says which other tests what lies in the
    package's folder makes. docs/catalog.md lists the targets of the variants. The filegroup :plugin is the files that a program reads, weights that lie beside the YAML among them, and :all_files is
    those and testdata/.

    Args:
      name: the family, which is the folder's name.
      large: the variants of more than 500 MB, sorted. The test holds the list.
      finders: of a family without test models, those whose test models find the slips of testdata/mutations.txt.
      onnx_sizes: the sizes that NAME_onnx has fixed, such as B=1,H=512,W=768, or a dict of them by variant, with "" for all others; empty: all are
        free.
      without_onnx: the variants whose code has no form in ONNX.
    """
    if not native.glob(["plugin.yaml"], allow_empty = True):
        fail("{} has no plugin.yaml".format(native.package_name()))
    misnamed = native.glob(["**/*.yml"], allow_empty = True)
    if misnamed:
        fail("a plugin's files end in .yaml; rename " + ", ".join(misnamed))
    _check_catalog(name)
    data, plugin_path = _plugin_files(name)
    native.filegroup(
        name = "plugin",
        srcs = native.glob(["*.yaml", "*.safetensors"], allow_empty = True),
        visibility = [Label("//:__subpackages__")],
    )
    native.exports_files(native.glob(["*.safetensors"], allow_empty = True), visibility = [Label("//:__subpackages__")])
    model_family(
        name = "family",
        srcs = native.glob(["*.yaml"]),
        uses = ["{}:family".format(FAMILIES[used].package) for used in FAMILIES[name].uses],
        visibility = ["//visibility:public"],
    )
    if FAMILIES[name].variants:
        _declare_variants(name, large, data, plugin_path, onnx_sizes, without_onnx)
    native.filegroup(
        name = "all_files",
        srcs = native.glob(["**/*.yaml", "*.safetensors"], allow_empty = True),
        visibility = [Label("//:__subpackages__")],
    )
    family_tests(name, large, finders)
    program_test(
        name = name + "_plugin_test",
        size = "small",
        args = [name, plugin_path] + large,
        data = data,
        program = Label("//registry:plugin_test_program"),
    )
