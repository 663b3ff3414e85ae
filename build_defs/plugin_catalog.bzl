"""The names of all variants, for BUILD files: read from each plugin.yaml, which alone lists them."""

load("//build_defs:checkpoint_archive.bzl", "CHECKPOINT_PREFIX")
load("//models:plugins.bzl", "HOSTS", "PLUGINS")

def _uses(line, where):
    inner = line[len("uses:"):].strip()
    if not (inner.startswith("[") and inner.endswith("]")):
        fail("{}: wants the names of `uses` on one line, such as uses: [layers, dinov2]".format(where))
    return [name.strip() for name in inner[1:-1].split(",") if name.strip()]

def _check_block(line, field, where):
    """Whether `line` begins the block of lines of `field`, which may not stand in braces."""
    if line.startswith(field + ":") and line != field + ":":
        fail("{}: wants `{}:` on a line of its own and each of its fields below it".format(where, field))
    return line == field + ":"

def _unquoted(text):
    return text.strip().strip("\"'")

# The wrapper on a line of a root's list, "classes: HostClasses(mean)" or "normals: {module: \"Normals()\", when: has_normals}".
def _read_wrapper(line, host, root, where):
    name, _, value = line.partition(":")
    if not value.strip():
        fail("{}: wants the wrapper on the same line".format(where))
    when = value.rpartition("when:")[2].strip(" }") if value.strip().startswith("{") else ""
    return struct(host = host, root = root, name = _unquoted(name), when = _unquoted(when))

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

# What Bazel needs of a plugin.yaml: the family, the families it uses or extends, its wrappers for hosts, and the call and the file of each variant.
# //tests/catalog:catalog_inputs_test compares them with what Modelport's own parser finds.
def _read_plugin(path, text):
    family, uses, extends, wrappers, calls, files, parts, block = None, [], None, [], {}, {}, {}, None
    host, root, variant, item = None, None, None, None
    lines = text.split("\n")
    for i in range(len(lines)):
        where, line = "{}:{}".format(path, i + 1), lines[i].rstrip()
        if not line or line.lstrip().startswith("#"):
            continue
        if line[0] != " ":
            block = None
            for field in ["targets", "variants"]:
                if _check_block(line, field, where):
                    block = field
        if line.startswith("family:"):
            family = line[len("family:"):].strip()
        elif line.startswith("uses:"):
            uses = _uses(line, where)
        elif line.startswith("extends:"):
            extends = _unquoted(line.partition(":")[2])
        elif block and line.startswith("  ") and line[2] != " ":
            if not line.endswith(":"):
                fail("{}: wants `NAME:` and its fields below it".format(where))
            if block == "variants":
                variant = _unquoted(line[:-1])
                calls[variant], files[variant], parts[variant] = "", "", []
            else:
                host = _unquoted(line[:-1])
        elif block == "variants" and line.startswith("    ") and line[4] != " ":
            item, _, value = line.strip().partition(":")
            if item == "module":
                calls[variant] = _unquoted(value)
            elif item == "file":
                files[variant] = _unquoted(value)
            elif item == "files" and value.strip():
                fail("{}: wants `files:` on a line of its own and each part below it".format(where))
        elif block == "variants" and item == "files" and line.startswith("      ") and line[6] != " ":
            parts[variant].append(_unquoted(line.partition(":")[0]))
        elif block == "targets" and line.startswith("    ") and line[4] != " ":
            name, _, value = line.partition(":")
            if value.strip().startswith("{"):
                fail("{}: wants `ROOT:` and its wrappers below it".format(where))
            root = _unquoted(name)
            if value.strip():
                wrappers.append(struct(host = host, root = root, name = "", when = ""))
        elif block == "targets" and line.startswith("      ") and line[6] != " ":
            wrappers.append(_read_wrapper(line, host, root, where))
    if not family:
        fail("{}: has no `family`".format(path))
    return family, struct(uses = [extends] if extends else uses, extends = extends, wrappers = wrappers, calls = calls, files = files, parts = parts)

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
        family, plugin = _read_plugin(path, ctx.read(ctx.path(label)))
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
            plugin.files,
            {name: _wrapped(wrappers, call) for name, call in plugin.calls.items()},
        ))
    ctx.file("BUILD", 'exports_files(["plugins.bzl"])\n')
    variants = {variant: parts for plugin in plugins.values() for variant, parts in plugin.parts.items()}
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
