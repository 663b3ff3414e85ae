"""Stands in for Bazel's coverage tools."""

_BUILD = """filegroup(
    name = "coverage_report_generator",
    visibility = ["//visibility:public"],
)
"""

def _no_coverage_impl(ctx):
    ctx.file("BUILD", _BUILD)

no_coverage = repository_rule(
    doc = "Bazel's test runner asks for a coverage report generator by label; Modelport does not use one.",
    implementation = _no_coverage_impl,
)
