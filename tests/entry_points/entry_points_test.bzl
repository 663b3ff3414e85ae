"""The test of a family's entry points."""

load("@rules_cc//cc:defs.bzl", "cc_test")
load("//build_defs:plugin_data.bzl", "plugin_data")

def entry_points_test():
    """The test of entry_points_test.cc, which calls the family's test models by tests/entry_points/entry_points_testing.h."""
    cc_test(
        name = "entry_points_test",
        size = "medium",
        srcs = ["entry_points_test.cc"],
        data = plugin_data([native.package_name().split("/")[1]]),  # models/FAMILY/tests
        deps = [
            "//common/status:status_matchers",
            "//tests/entry_points:entry_points_testing",
            "@com_google_googletest//:gtest_main",
            "@libtorch",
        ],
    )
