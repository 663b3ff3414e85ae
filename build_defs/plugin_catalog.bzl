"""The names of all variants, for BUILD files: read from each plugin.yaml, which alone lists them."""

load("//build_defs:checkpoint_archive.bzl", "CHECKPOINT_PREFIX")
load("//build_defs:read_plugin.bzl", "read_plugin")
load("//build_defs:wrapper_condition.bzl", "wrapper_condition")
load("//models:plugins.bzl", "HOSTS", "PLUGINS")

# In the file that is made, since Bazel evaluates the conditions when it loads it.
_WRAPPED = """# The wrappers of a variant, of which each has its host, name and condition, as pairs of host and name; the default, which is a host's first, has the name "".
def _wrapped(wrappers):
    found = []
    for host, name, is_for_it in wrappers:
        if is_for_it:
            is_default = host not in [other for other, _ in found]
            found.append((host, "" if is_default else name))
    return found

"""

# The signature of the module type `root`, of the plugins at `labels`.
def _signature(ctx, root, labels, where):
    for label in labels:
        for file in ctx.path(label).dirname.readdir():
            if not file.basename.endswith(".yaml"):
                continue
            for line in ctx.read(ctx.path(label.relative(":" + file.basename))).split("\n"):
                signature = line.strip().strip("\"'")
                if line.startswith("  ") and signature.startswith(root + "(") and signature.endswith("):"):
                    return signature
    fail("{}: a wrapper of {} has `when`, but no file of module types has its signature on a line".format(where, root))

# The wrappers of the root `call`, "Net(dim=2, has_normals=1)", as text: triples of host, name and condition.
def _wrappers(wrappers, call, signatures):
    root = call.partition("(")[0].strip()
    return "[{}]".format(", ".join([
        '("{}", "{}", {})'.format(
            wrapper.host,
            wrapper.name,
            wrapper_condition(wrapper.when, signatures[root], call) if wrapper.when else True,
        )
        for wrapper in wrappers
        if wrapper.host in HOSTS and wrapper.root == root
    ]))

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
        owner = plugin.extends if plugin.extends in plugins else family
        wrappers = plugins[owner].wrappers
        sources = [labels[name] for name in [owner] + plugins[owner].uses if name in labels]
        path = "{}/{}".format(labels[owner].package, labels[owner].name)
        signatures = {wrapper.root: _signature(ctx, wrapper.root, sources, path) for wrapper in wrappers if wrapper.when}
        rows.append('    "{}": struct(package = "@{}//{}", uses = {}, variants = {}, files = {}, wrapped = {}),\n'.format(
            family,
            label.workspace_name,
            label.package,
            plugin.uses,
            plugin.calls.keys(),
            {variant: files[0]["file"] for variant, files in plugin.files.items()},
            "{{{}}}".format(", ".join([
                '"{}": _wrapped({})'.format(name, _wrappers(wrappers, call, signatures))
                for name, call in plugin.calls.items()
            ])),
        ))
    ctx.file("BUILD", 'exports_files(["plugins.bzl", "published.txt"])\n')
    ctx.file("published.txt", "".join([
        "{} {}\n".format(variant, " ".join([file[field] or "-" for field in ["part", "file", "url", "sha256"]]))
        for plugin in plugins.values()
        for variant, files in plugin.files.items()
        for file in files[1:] or files
    ]))
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
            fail("{}: a checkpoint_archive or published_checkpoints of WORKSPACE names it, and no plugin has such a variant; bazel run //tools:list prints all".format(name))
        checkpoints.setdefault(variant, []).append("@{}{}//:file".format(CHECKPOINT_PREFIX, name))
        bound.setdefault(variant, []).append(name[len(variant) + 1:])
    for variant, found in bound.items():
        _check_parts(variant, found, variants[variant])
    ctx.file("plugins.bzl", "{}FAMILIES = {{\n{}}}\n\nCHECKPOINTS = {}\n".format(
        _WRAPPED,
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
    of the variants that a checkpoint_archive() above this call binds to their weights. Its published.txt is for a test: the lines
    "VARIANT PART FILE URL SHA256" of all published files, with "-" for what is not stated.

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
