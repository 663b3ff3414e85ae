"""Published checkpoints as external repositories: addresses and sha256 are those of each plugin.yaml."""

load("//build_defs:checkpoint_archive.bzl", "CHECKPOINT_PREFIX", "check_place", "fetch_checkpoint")
load("//build_defs:read_plugin.bzl", "read_plugin")
load("//models:plugins.bzl", "PLUGINS")

def _find_files(ctx, variant):
    """The published files of a variant: that of the whole or, if it is published in parts, those of the parts."""
    for plugin in ctx.attr.plugins:
        _, found = read_plugin("{}/{}".format(plugin.package, plugin.name), ctx.read(ctx.path(plugin)))
        if variant in found.files:
            files = found.files[variant]
            return files[1:] or files
    fail("published_checkpoints: no plugin of Modelport has the variant {}".format(variant))

def _published_repository_impl(ctx):
    variant = ctx.name[len(CHECKPOINT_PREFIX):]
    paths = []
    for file in _find_files(ctx, variant):
        if not file["url"] or len(file["sha256"]) != 64:
            fail("published_checkpoints: {}: plugin.yaml states no {} of {}: bind it with checkpoint_archive".format(
                variant,
                "address" if not file["url"] else "whole sha256",
                file["file"] or "its weights",
            ))
        paths.append((file["part"] + "/" if file["part"] else "") + file["url"].split("?")[0].split("/")[-1])
        fetch_checkpoint(ctx, [file["url"]], file["sha256"], paths[-1], variant, "plugin.yaml")
    ctx.file("BUILD", 'filegroup(name = "file", srcs = {}, visibility = ["//visibility:public"])\n'.format(paths))

_published_repository = repository_rule(
    implementation = _published_repository_impl,
    attrs = {
        "auth_patterns": attr.string_dict(),
        "netrc": attr.string(),
        "plugins": attr.label_list(allow_files = True),
    },
)

def published_checkpoints(names, netrc = "", auth_patterns = {}):
    """Binds variants to their published weights, by the address and the sha256 that Modelport's plugins state. Stands in WORKSPACE above plugin_catalog().

    Args:
      names: the variants, of Modelport's own plugins: "dinov2_vits14".
      netrc: a netrc file with passwords; by default the environment's NETRC, or ~/.netrc.
      auth_patterns: as http_file has them.
    """
    for name in names:
        check_place("published_checkpoints, " + name, name)
        _published_repository(
            name = CHECKPOINT_PREFIX + name,
            auth_patterns = auth_patterns,
            netrc = netrc,
            plugins = [Label("//models/{}:plugin.yaml".format(plugin)) for plugin in PLUGINS],
        )
