"""A wheel: the installable archive of a Python package."""

def _expand(ctx, template, name, substitutions):
    file = ctx.actions.declare_file("{}.expanded/{}".format(ctx.label.name, name))
    ctx.actions.expand_template(template = template, output = file, substitutions = substitutions)
    return file

def _wheel_impl(ctx):
    version = ctx.attr.version
    wheel = ctx.actions.declare_file("modelport-{}-{}.whl".format(version, ctx.attr.tag))
    info = "modelport-{}.dist-info".format(version)
    substitutions = {"@VERSION@": version, "@LIBTORCH_VERSION@": ctx.attr.libtorch_version, "@TAG@": ctx.attr.tag}
    files = [
        (info + "/METADATA", _expand(ctx, ctx.file._metadata, "METADATA", substitutions)),
        (info + "/WHEEL", _expand(ctx, ctx.file._wheel, "WHEEL", substitutions)),
    ]
    for target, folder in ctx.attr.files.items():
        folder = folder.replace("INFO", info).replace("PREFIX", "modelport-{}.data/data".format(version))
        files += [("{}/{}".format(folder, file.basename), file) for file in target.files.to_list()]
    listing = ctx.actions.declare_file(ctx.label.name + ".files")
    ctx.actions.write(listing, "".join(sorted(["{}\t{}\n".format(path, file.path) for path, file in files])))
    ctx.actions.run(
        mnemonic = "Wheel",
        progress_message = "Packing " + wheel.basename,
        executable = ctx.executable._pack,
        arguments = [listing.path, info + "/RECORD", ctx.file._zipper.path, wheel.path],
        inputs = [file for _, file in files] + [listing, ctx.file._zipper],
        outputs = [wheel],
        use_default_shell_env = True,
    )
    return [DefaultInfo(files = depset([wheel]))]

wheel = rule(
    implementation = _wheel_impl,
    doc = "The wheel of the package modelport: equal bytes for equal files.",
    attrs = {
        "files": attr.label_keyed_string_dict(
            mandatory = True,
            allow_files = True,
            doc = "The files, and the folder in the wheel that each gets; INFO stands for the folder of the wheel's description, PREFIX for what is installed into the environment's own folder.",
        ),
        "libtorch_version": attr.string(mandatory = True, doc = "Of the package torch that it requires."),
        "tag": attr.string(mandatory = True, doc = "Pythons and platforms that it is for: \"py3-none-manylinux_2_34_x86_64\"."),
        "version": attr.string(mandatory = True),
        "_metadata": attr.label(default = "//release:wheel/METADATA.in", allow_single_file = True),
        "_pack": attr.label(default = "//release:pack_wheel", executable = True, cfg = "exec"),
        "_wheel": attr.label(default = "//release:wheel/WHEEL.in", allow_single_file = True),
        "_zipper": attr.label(default = "@bazel_tools//tools/zip:zipper", allow_single_file = True),
    },
)
