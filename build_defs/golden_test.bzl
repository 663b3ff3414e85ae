"""Tests that compare artifacts with goldens of the upstream models."""

load("@goldens//:models.bzl", "MODELS")
load("@plugin_catalog//:plugins.bzl", "FAMILIES")
load("//build_defs:packages.bzl", "runfiles_path", "this_package")
load("//build_defs:plugin_data.bzl", "plugin_data", "used_families")
load("//build_defs:program_test.bzl", "program_test")

def _stages(family):
    """The tables of stages of a family and of those that it uses, and their paths among the data of a test; not all have one."""
    packages = [FAMILIES[name].package for name in [family] + used_families(family)]
    return [package + ":stages" for package in packages], ",".join([runfiles_path(package) + "/stages.txt" for package in packages])

def _goldens(model):
    """The targets and folders of a model's goldens: those of this package and those in the folder MODELPORT_GOLDENS."""
    data, folders = [], []
    if native.glob(["testdata/goldens/{}/*".format(model)], allow_empty = True):
        data.append("goldens/" + model)
        folders.append("{}/testdata/goldens/{}".format(runfiles_path(this_package()), model))
    if model in MODELS:
        data.append("@goldens//:" + model)
        folders.append("../goldens/" + model)
    return data, folders

def golden_test(model, family, large = False):
    """MODEL_golden_test: exports `model` and tests it against its goldens. Declares no test if there are none.

    Args:
      family: of this package.
      model: a variant of its test plugin, or a large one, whose artifact is not kept.
      large: whether the model has more than 500 MB. Its test takes gigabytes of memory, and no other runs beside it on a machine of two cores. Without goldens in this package it has
        the tag full_size and runs alone.
    """
    data, folders = _goldens(model)
    if not folders:
        return
    stages, stages_paths = _stages(family)
    alone = large and "goldens/" + model not in data
    program_test(
        name = model + "_golden_test",
        size = "enormous" if alone else "medium",
        args = [stages_paths, "models", model, "none"] + folders,
        data = data + stages + plugin_data([family]),
        program = Label("//tests/goldens:golden_test_program"),
        tags = ["full_size", "exclusive"] if alone else ["rounding"] + (["cpu:2"] if large else []),
    )

def artifact_golden_test(model, family, plugins, plugin_path, seeded):
    """MODEL_test: tests the file of the target MODEL in this package against its goldens. Declares no test if there are none.

    Args:
      model: a variant of this package's family.
      family: of this package.
      plugins: a list of the YAML files of plugins that are not built in, with the model's.
      plugin_path: their folders, separated by commas.
      seeded: whether the model's weights are, or else those that lie in this package.
    """
    data, folders = _goldens(model)
    if not folders:
        return
    stages, stages_paths = _stages(family)
    artifact = "{}/{}{}.pt".format(runfiles_path(this_package()), model, ".seeded" if seeded else "")
    program_test(
        name = model + "_test",
        size = "medium",
        args = [stages_paths, plugin_path, model, artifact] + folders,
        data = data + plugins + stages + [model],
        program = Label("//tests/goldens:golden_test_program"),
        tags = ["rounding"],
    )
