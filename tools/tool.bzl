"""A tool: its library and its program."""

load("//build_defs:cc.bzl", "cc_binary", "cc_library")
load("//build_defs:plugin_data.bzl", "without_plugins")

def tool(name, deps, visibility, data = [], files = []):
    """A tool of tools/command/commands.h: NAME.cc as the library NAME_command, the program NAME, and without_plugins for tests.

    Args:
      name: of the tool: new_plugin, whose function is NewPluginCommand.
      deps: what NAME.cc uses.
      visibility: of the program.
      data: what the program reads beside plugins.
      files: further sources of the library with their headers, FILE.cc and FILE.h.
    """
    reads_plugins = "//models:built_in_plugins" in deps
    cc_library(
        name = name + "_command",
        files = files,
        srcs = [name + ".cc"],
        visibility = ["//release:__pkg__"],
        deps = deps + ["//tools/command:commands"],
    )
    cc_binary(
        name = name,
        srcs = ["//tools/command:main.cc"],
        local_defines = ["MODELPORT_COMMAND={}Command".format("".join([word.capitalize() for word in name.split("_")]))],
        data = data + (["//models:built_in"] if reads_plugins else []),
        visibility = visibility,
        deps = [
            name + "_command",
            "//tools/command:commands",
            "//tools/command",
        ],
    )
    if reads_plugins:
        without_plugins(
            name = "without_plugins",
            testonly = True,
            program = name,
            visibility = [
                "//models:__subpackages__",
                "//tests:__subpackages__",
            ],
        )
