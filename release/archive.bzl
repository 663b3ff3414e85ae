"""An archive of files in folders."""

def _archive_impl(ctx):
    listing = ctx.actions.declare_file(ctx.label.name + ".files")
    lines = ["{}/{}\t{}\n".format(folder, file.basename, file.path) for target, folder in ctx.attr.files.items() for file in target.files.to_list()]
    ctx.actions.write(listing, "".join(lines))
    ctx.actions.run(
        mnemonic = "Archive",
        progress_message = "Packing " + ctx.outputs.out.basename,
        executable = ctx.executable._pack,
        arguments = [listing.path, ctx.attr.root, ctx.outputs.out.path],
        inputs = ctx.files.files + [listing],
        outputs = [ctx.outputs.out],
        use_default_shell_env = True,
    )

archive = rule(
    implementation = _archive_impl,
    doc = "A .tar.zst, equal bytes for equal files.",
    attrs = {
        "files": attr.label_keyed_string_dict(
            mandatory = True,
            allow_files = True,
            doc = "The files, and the folder in the archive that each gets: \"lib\".",
        ),
        "out": attr.output(mandatory = True, doc = "The archive."),
        "root": attr.string(mandatory = True, doc = "The folder that the archive unpacks to."),
        "_pack": attr.label(default = "//release:pack_archive", executable = True, cfg = "exec"),
    },
)
