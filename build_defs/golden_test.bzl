"""Tests that compare artifacts with goldens of the upstream models."""

load("@goldens//:models.bzl", "MODELS")
load("@rules_cc//cc:defs.bzl", "cc_test")

def golden_files():
    """A filegroup for each folder of goldens in this package."""
    for folder in {path.split("/")[0]: None for path in native.glob(["*/*.safetensors"])}:
        native.filegroup(
            name = folder,
            srcs = native.glob([folder + "/*"]),
            visibility = ["//tests:__pkg__"],
        )

def golden_test(model, committed = False, large = False, plugins = "//models:plugins", plugin_path = "models"):
    """Tests `model` against the committed goldens and those in the folder MODELPORT_GOLDENS.

    Declares no test if neither has goldens of it.

    Args:
      model: a variant.
      committed: whether //tests/goldens has cases of it.
      large: whether the test takes gigabytes of memory; it then has the tag full_size and runs alone.
      plugins: the YAML files of plugins, with the model's.
      plugin_path: their folder.
    """
    data, folders = [], []
    if committed:
        data.append("//tests/goldens:" + model)
        folders.append("tests/goldens/" + model)
    if model in MODELS:
        data.append("@goldens//:" + model)
        folders.append("../goldens/" + model)
    if not folders:
        return
    cc_test(
        name = model + "_golden_test",
        size = "enormous" if large else "medium",
        args = [plugin_path, model] + folders,
        data = data + [
            "stages.txt",
            plugins,
        ],
        tags = ["full_size", "exclusive"] if large else ["rounding"],
        deps = [":golden_test_main"],
    )
