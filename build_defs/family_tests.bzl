"""The tests of a family by what lies in its folder, so that a new one is named nowhere else.

    stages.txt                  where the tensors of goldens come from: tests/goldens/README.md
    testdata/plugin.yaml        variants for tests alone
    testdata/goldens/MODEL/     what upstream computes
    testdata/references/NAME/   the same for what is no variant: functions, module types
    testdata/mutations.txt      mistakes in the family's text that the tests find: tests/mutation
    testdata/NAME.txt           a table that a test of all families reads: TABLES
    testdata/keys/              the keys of published files: tests/manifests
"""

load("@plugin_catalog//:plugins.bzl", "FAMILIES")
load("//build_defs:golden_test.bzl", "golden_test")
load("//build_defs:plugin_data.bzl", "plugin_data")
load("//build_defs:program_test.bzl", "program_test")
load("//models:plugins.bzl", "PLUGINS")

# Each is a filegroup NAME_table in a family's package, and in //models that of all families.
TABLES = [
    "catalog",
    "config_json",
    "constants",
    "drafts",
    "image_constants",
    "layouts",
    "nuke",
    "onnx",
    "runtime",
]

def _folders(kind):
    return sorted({path.split("/")[2]: None for path in native.glob(["testdata/{}/*/*".format(kind)], allow_empty = True)}.keys())

def family_tests(family, large, finders):
    """Declares the data of tests in a family's folder, and the tests of its goldens and of mutations.

    Args:
      family: of this package.
      large: the variants of more than 500 MB.
      finders: as of model_plugin().
    """
    for kind in ["goldens", "references"]:
        for folder in _folders(kind):
            native.filegroup(
                name = "{}/{}".format(kind, folder),
                srcs = native.glob(["testdata/{}/{}/*".format(kind, folder)]),
                visibility = [Label("//:__subpackages__")],
            )
    for table in TABLES:
        native.filegroup(
            name = table + "_table",
            srcs = native.glob(["testdata/{}.txt".format(table)], allow_empty = True),
            visibility = [Label("//:__subpackages__")],
        )
    for name, pattern in {
        "community_keys": "testdata/keys/community/*.txt",
        "keys": "testdata/keys/*.txt",
        "stages": "stages.txt",
        "whole_keys": "testdata/keys/whole/*.txt",
    }.items():
        native.filegroup(
            name = name,
            srcs = native.glob([pattern], allow_empty = True),
            visibility = ["//visibility:public"],
        )

    # The tests of a repository of one's own have no test plugin.
    if family in PLUGINS:
        _declare_tests(family, large, finders)

def _declare_tests(family, large, finders):
    variants = FAMILIES[family].variants
    test_models = [model for model in _folders("goldens") if model not in variants]
    for model in test_models:
        golden_test(model, family)
    for model in large:
        golden_test(model, family, large = True)
    native.filegroup(
        name = "test_goldens",
        srcs = ["goldens/" + model for model in test_models] + [":constants_table", ":stages"],
        visibility = [Label("//:__subpackages__")],
    )
    if native.glob(["testdata/mutations.txt"], allow_empty = True):
        _mutation_test(family, [family] if test_models else finders)
    if variants:
        _family_test(family, "variants", "//tests/families:variants_test_program", [])
    if native.glob(["testdata/keys/*.txt"], allow_empty = True):
        _family_test(family, "keys", "//tests/manifests:manifest_test_program", [":keys"])
    if native.glob(["testdata/plugin.yaml"], allow_empty = True):
        _family_test(family, "nuke_image", "//tests/nuke:nuke_image_test_program", [":nuke_table"], tags = ["rounding"])
        _family_test(
            family,
            "models",
            "//tests/families:models_test_program",
            [":onnx_table", ":runtime_table", "//tools/lint", "@openvino//:libraries"] + ["//tools/{}:without_plugins".format(tool) for tool in ["export", "predict", "verify"]],
            shard_count = 2,
        )

def _family_test(family, name, program, data, **kwargs):
    """A test of all families that asks each about its own models, so that a line in one runs it for that one."""
    program_test(
        name = "{}_{}_test".format(family, name),
        size = "medium",
        args = [family],
        data = data + plugin_data([family]),
        program = program,
        **kwargs
    )

def _mutation_test(family, finders):
    """The test models of these families are asked about slips in the family's files."""
    program_test(
        name = family + "_mutation_test",
        size = "medium",
        args = [family],
        data = ["testdata/mutations.txt"] + ["//models/{}:test_goldens".format(finder) for finder in finders] + plugin_data(finders),
        program = "//tests/mutation:mutation_test_program",
        shard_count = 2,
    )
