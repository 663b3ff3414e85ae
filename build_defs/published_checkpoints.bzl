"""Published checkpoints as external repositories: addresses and sha256 are those of each plugin.yaml."""

load("//build_defs:checkpoint_archive.bzl", "CHECKPOINT_PREFIX", "check_place", "fetch_checkpoint")
load("//models:plugins.bzl", "PLUGINS")

def _field(line, name):
    """The value of a field on a line, "file: a.pth" or "{file: a.pth, url: ...}"; "" if it has none."""
    for before in ["{" + name + ": ", ", " + name + ": ", " " + name + ": "]:
        start = line.find(before)
        if start >= 0:
            value = line[start + len(before):].lstrip("\"'")
            for end in ["\"", "'", ",", "}", " "]:
                value = value.partition(end)[0]
            return value
    return ""

def _read_files(text, variant):
    """The published files of a variant, as structs of part, file, url and sha256; None if the plugin.yaml with this text has no such variant."""
    files, inside, in_parts = None, False, False
    one = {"file": "", "url": "", "sha256": ""}
    for line in text.split("\n"):
        if line.startswith("  ") and line[2:3] not in [" ", "#", ""]:
            inside = line.strip().rstrip(":").strip("\"'") == variant
            files = [] if inside else files
        elif inside and line.startswith("    ") and line[4:5] not in [" ", "#", ""]:
            in_parts = line.strip() == "files:"
            name = line.strip().partition(":")[0]
            if name in ["file", "url"]:
                one[name] = _field(line, name)
            elif name == "digest":
                one["sha256"] = _field(line, "sha256")
        elif inside and in_parts and line.startswith("      "):
            files.append(struct(
                part = line.strip().partition(":")[0],
                file = _field(line, "file"),
                url = _field(line, "url"),
                sha256 = _field(line, "sha256"),
            ))
        elif line and line[0] not in [" ", "#"]:
            inside = False
    if files == []:
        files.append(struct(part = "", **one))
    return files

def _published_repository_impl(ctx):
    variant = ctx.name[len(CHECKPOINT_PREFIX):]
    files = None
    for plugin in ctx.attr.plugins:
        files = files or _read_files(ctx.read(ctx.path(plugin)), variant)
    if not files:
        fail("published_checkpoints: no plugin of Modelport has the variant {}".format(variant))
    paths = []
    for file in files:
        if not file.url or len(file.sha256) != 64:
            fail("published_checkpoints: {}: plugin.yaml states no {} of {}: bind it with checkpoint_archive".format(
                variant,
                "address" if not file.url else "whole sha256",
                file.file or "its weights",
            ))
        paths.append((file.part + "/" if file.part else "") + file.url.split("?")[0].split("/")[-1])
        fetch_checkpoint(ctx, [file.url], file.sha256, paths[-1], variant, "plugin.yaml")
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
