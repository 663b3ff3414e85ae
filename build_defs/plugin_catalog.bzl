"""The names of all variants, for BUILD files: read from each plugin.yaml, which alone lists them."""

load("//build_defs:checkpoint_archive.bzl", "CHECKPOINT_PREFIX")
load("//build_defs:read_plugin.bzl", "read_plugin")
load("//models:plugins.bzl", "HOSTS", "PLUGINS")

# Whether the root `call`, "Net(dim=2, has_normals=1)", is that of the wrapper, with the argument that it wants.
def _fits(wrapper, call):
    root, _, arguments = call.partition("(")
    if root.strip() != wrapper.root or not wrapper.when:
        return root.strip() == wrapper.root
    for argument in arguments.strip(" )").split(","):
        name, _, value = argument.partition("=")
        if name.strip() == wrapper.when:
            return value.strip() not in ["0", "false"]
    return False

# The wrappers of a variant as pairs of host and name; the default, which is a host's first, has the name "".
def _wrapped(wrappers, call):
    found = []
    for wrapper in wrappers:
        if wrapper.host in HOSTS and _fits(wrapper, call):
            is_default = wrapper.host not in [host for host, _ in found]
            found.append((wrapper.host, "" if is_default else wrapper.name))
    return found

def _check_parts(variant, found, parts):
    """Checks that WORKSPACE binds all of `variant`: `found` are the parts of its lines, "" that of a line without one, `parts` those of plugin.yaml."""
    unknown = [part for part in found if part and part not in parts]
    if unknown and not parts:
        fail("checkpoint_archive {}, part {}: the model is one file: leave out `part`".format(variant, unknown[0]))
    if unknown:
        fail("checkpoint_archive {}, part {}: no such part; it has {}".format(variant, unknown[0], ", ".join(parts)))
    missing = [part for part in parts if part not in found]
    if "" in found and len(found) > 1:
        fail("checkpoint_archive {}: one line binds the whole, another a part: keep the one, or a line for each of {}".format(variant, ", ".join(parts)))
    if "" not in found and missing:
        fail("checkpoint_archive {}: WORKSPACE has no line for its part {}; it wants one for each of {}".format(variant, missing[0], ", ".join(parts)))

def _plugin_catalog_impl(ctx):
    plugins, labels = {}, {}
    for label in ctx.attr.plugins:
        path = "{}/{}".format(label.package, label.name)
        family, plugin = read_plugin(path, ctx.read(ctx.path(label)))
        if family in plugins:
            fail("{}: family {} stands in two plugins".format(path, family))
        plugins[family], labels[family] = plugin, label
    rows = []
    for family in sorted(plugins):
        plugin, label = plugins[family], labels[family]

        # A family takes over the wrappers of the one that it extends.
        wrappers = plugins[plugin.extends].wrappers if plugin.extends in plugins else plugin.wrappers
        rows.append('    "{}": struct(package = "@{}//{}", uses = {}, variants = {}, files = {}, wrapped = {}),\n'.format(
            family,
            label.workspace_name,
            label.package,
            plugin.uses,
            plugin.calls.keys(),
            {variant: files[0]["file"] for variant, files in plugin.files.items()},
            {name: _wrapped(wrappers, call) for name, call in plugin.calls.items()},
        ))
    ctx.file("BUILD", 'exports_files(["plugins.bzl"])\n')
    variants = {
        variant: [file["part"] for file in files[1:]]
        for plugin in plugins.values()
        for variant, files in plugin.files.items()
    }
    checkpoints, bound = {}, {}
    for name in sorted(ctx.attr.checkpoints):
        # No part of a model has a hyphen in its name.
        variant = name if name in variants else name.rpartition("-")[0]
        if variant not in variants:
            fail("checkpoint_archive {}: no plugin has such a variant".format(name))
        checkpoints.setdefault(variant, []).append("@{}{}//:file".format(CHECKPOINT_PREFIX, name))
        bound.setdefault(variant, []).append(name[len(variant) + 1:])
    for variant, found in bound.items():
        _check_parts(variant, found, variants[variant])
    ctx.file("plugins.bzl", "FAMILIES = {{\n{}}}\n\nCHECKPOINTS = {}\n".format(
        "".join(rows),
        checkpoints,
    ))

_plugin_catalog = repository_rule(
    implementation = _plugin_catalog_impl,
    attrs = {
        "checkpoints": attr.string_list(),
        "plugins": attr.label_list(allow_files = True),
    },
)

def plugin_catalog(plugins = []):
    """Declares the repository @plugin_catalog, whose plugins.bzl is for model_plugin().

    It has FAMILIES, the package, `uses`, variants, their published files and their wrappers of every family, and CHECKPOINTS, the files
    of the variants that a checkpoint_archive() above this call binds to their weights.

    Args:
      plugins: labels of the plugin.yaml of every plugin besides Modelport's own.
    """
    own = ["//models/{}:plugin.yaml".format(plugin) for plugin in PLUGINS] + ["//targets/{}:plugin.yaml".format(host) for host in HOSTS]
    _plugin_catalog(
        name = "plugin_catalog",
        checkpoints = [
            repository[len(CHECKPOINT_PREFIX):]
            for repository in native.existing_rules()
            if repository.startswith(CHECKPOINT_PREFIX)
        ],
        # Label() means this repository, also where the macro is called from another one's WORKSPACE.
        plugins = [Label(plugin) for plugin in own] + plugins,
    )
