"""A tool: its library and its program."""

load("@rules_cc//cc:defs.bzl", "cc_binary", "cc_library")

def tool(name, deps, visibility):
    """A tool of tools/command/commands.h: NAME.cc as the library NAME_command, and the program NAME.

    Args:
      name: of the tool: new_plugin, whose function is NewPluginCommand.
      deps: what NAME.cc uses.
      visibility: of the program.
    """
    cc_library(
        name = name + "_command",
        srcs = [name + ".cc"],
        visibility = ["//release:__pkg__"],
        deps = deps + ["//tools/command:commands"],
    )
    cc_binary(
        name = name,
        srcs = ["//tools/command:main.cc"],
        local_defines = ["MODELPORT_COMMAND={}Command".format("".join([word.capitalize() for word in name.split("_")]))],
        visibility = visibility,
        deps = [
            name + "_command",
            "//tools/command:commands",
            "//tools/command:tool_main",
        ],
    )
