"""Reads of a plugin.yaml what Bazel needs, line by line."""

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
    when = value.rpartition("when:")[2].partition(", module:")[0].strip(" }") if value.strip().startswith("{") else ""
    return struct(host = host, root = root, name = _unquoted(name), when = _unquoted(when))

def _field(line, name):
    """The value of a field in braces, "{file: a.pth, url: ...}"; "" if there is none."""
    for before in ["{" + name + ": ", ", " + name + ": "]:
        start = line.find(before)
        if start >= 0:
            value = line[start + len(before):].lstrip("\"'")
            for end in ["\"", "'", ",", "}", " "]:
                value = value.partition(end)[0]
            return value
    return ""

def _file(part, line):
    # `digest` has a `url`, too.
    own, _, digest = line.partition("digest:")
    return {"part": part, "file": _field(own, "file"), "url": _field(own, "url"), "sha256": _field(digest, "sha256")}

def _add_field(line, file):
    """Adds the field on this line, `file`, `url` or `digest`, to a published file."""
    name, _, value = line.strip().partition(":")
    if name in ["file", "url"]:
        file[name] = _unquoted(value)
    elif name == "digest":
        file["sha256"] = _field(line, "sha256")

def read_plugin(path, text):
    """What Bazel needs of a plugin.yaml. //tests/catalog:catalog_inputs_test compares it with what Modelport's own parser finds.

    Args:
      path: of the file, for messages.
      text: of the file.

    Returns:
      The family, and a struct of the families that it uses, or the one that it extends; its wrappers for hosts; and by variant the call of the
      root and the published files, dicts of part, file, url and sha256, "" if not stated: first the one of the whole, then those of the parts.
    """
    family, uses, extends, wrappers, calls, files, block = None, [], None, [], {}, {}, None
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
                calls[variant], files[variant] = "", [_file("", "")]
            else:
                host = _unquoted(line[:-1])
        elif block == "variants" and line.startswith("    ") and line[4] != " ":
            item, _, value = line.strip().partition(":")
            if item == "module":
                calls[variant] = _unquoted(value)
            elif item == "files" and value.strip():
                fail("{}: wants `files:` on a line of its own and each part below it".format(where))
            _add_field(line, files[variant][0])
        elif block == "variants" and item == "files" and line.startswith("      ") and line[6] != " ":
            files[variant].append(_file(_unquoted(line.partition(":")[0]), line))
        elif block == "variants" and item == "files" and line.startswith("        ") and line[8] != " ":
            _add_field(line, files[variant][-1])
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
    return family, struct(uses = [extends] if extends else uses, extends = extends, wrappers = wrappers, calls = calls, files = files)
