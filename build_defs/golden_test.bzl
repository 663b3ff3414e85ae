"""Tests that compare artifacts with goldens of the upstream models."""

load("@goldens//:models.bzl", "MODELS")
load("@rules_cc//cc:defs.bzl", "cc_test")
load("//build_defs:packages.bzl", "runfiles_path", "this_package")
load("//build_defs:plugin_data.bzl", "plugin_data")
load("//build_defs:program_test.bzl", "program_test")
load("//tests/goldens:models.bzl", "COMMITTED")

def golden_files():
    """A filegroup for each folder of goldens in this package."""
    for folder in {path.split("/")[0]: None for path in native.glob(["*/*.safetensors"])}:
        native.filegroup(
            name = folder,
            srcs = native.glob([folder + "/*"]),
            visibility = [
                "//models:__subpackages__",
                "//tests:__subpackages__",
            ],
        )

def _stages():
    """The table of stages, and its path among the data of a test: the package's own, or else Modelport's."""
    if native.glob(["stages.txt"]):
        package, table = this_package(), "stages.txt"
    else:
        table = Label("//tests/goldens:stages.txt")
        package = "@{}//{}".format(table.workspace_name, table.package)
    return table, runfiles_path(package) + "/stages.txt"

def _goldens(model, committed):
    """The targets and folders of a model's goldens: the committed ones and those in the folder MODELPORT_GOLDENS."""
    data, folders = [], []
    if committed:
        data.append("//tests/goldens:" + model)
        folders.append("tests/goldens/" + model)
    if model in MODELS:
        data.append("@goldens//:" + model)
        folders.append("../goldens/" + model)
    return data, folders

def golden_test(model, family, committed = False, large = False):
    """Tests `model` against its goldens. Declares no test if there are none.

    Args:
      family: whose module types the model has.
      model: a variant of a test plugin, or a large one, whose artifact is not kept.
      committed: whether //tests/goldens has cases of it.
      large: whether the test takes gigabytes of memory; it then has the tag full_size and runs alone.
    """
    data, folders = _goldens(model, committed)
    if not folders:
        return
    stages, stages_path = _stages()
    program_test(
        name = model + "_golden_test",
        size = "enormous" if large else "medium",
        args = [stages_path, "models", model, "none"] + folders,
        data = data + [stages] + plugin_data([family]),
        program = "//tests/goldens:golden_test_program",
        tags = ["full_size", "exclusive"] if large else ["rounding"],
    )

def infer_image_test(models):
    """infer_image_test: compares artifacts that prepare images themselves with goldens of upstream's infer_image.

    Args:
      models: the variants of Depth Anything V2 that //tests/goldens has such cases of.
    """
    data, folders = [], []
    for model in models:
        more_data, more_folders = _goldens(model + "_infer_image", committed = True)
        data += more_data
        folders += more_folders
    cc_test(
        name = "infer_image_test",
        size = "medium",
        srcs = ["infer_image_test.cc"],
        args = folders,
        data = data + plugin_data(["depth_anything_v2"]),
        tags = ["rounding"],
        deps = [
            "//artifact/export:export_model",
            "//common/checkpoint:seeded",
            "//common/status:status_matchers",
            "//models:built_in_plugins",
            "//registry",
            "//tests/goldens:golden_case",
            "//tests/support:exported_module",
            "@com_google_absl//absl/strings",
            "@com_google_absl//absl/types:span",
            "@com_google_googletest//:gtest",
            "@libtorch",
            "@nlohmann_json//:json",
        ],
    )

def artifact_golden_test(model, plugins, plugin_path, seeded):
    """MODEL_test: tests the file of the target MODEL in this package against its goldens. Declares no test if there are none.

    Args:
      model: a variant of this package's family.
      plugins: a list of the YAML files of plugins that are not built in, with the model's.
      plugin_path: their folders, separated by commas.
      seeded: whether the model's weights are, or else those that lie in this package.
    """
    data, folders = _goldens(model, model in COMMITTED)
    if not folders:
        return
    stages, stages_path = _stages()
    artifact = "{}/{}{}.pt".format(runfiles_path(this_package()), model, ".seeded" if seeded else "")
    program_test(
        name = model + "_test",
        size = "medium",
        args = [stages_path, plugin_path, model, artifact] + folders,
        data = data + plugins + [
            model,
            stages,
        ],
        program = Label("//tests/goldens:golden_test_program"),
        tags = ["rounding"],
    )
