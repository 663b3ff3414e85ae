"""The test of a family's entry points."""

load("//build_defs:cc.bzl", "cc_test")
load("//build_defs:plugin_data.bzl", "plugin_data")

def entry_points_test():
    """The test of entry_points_test.cc, which calls the family's test models by tests/entry_points/entry_points_testing.h."""
    cc_test(
        name = "entry_points_test",
        size = "medium",
        data = plugin_data([native.package_name().split("/")[1]]),  # models/FAMILY/tests
        deps = [
            "//tests/entry_points:entry_points_testing",
            "@libtorch",
        ],
    )
