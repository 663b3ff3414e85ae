"""The pages of an archive."""

def _archive_pages_impl(ctx):
    outs = [ctx.actions.declare_file(ctx.label.name + "/" + page.basename) for page in ctx.files.pages]
    others = ["{}/{}".format(folder, file.basename) for target, folder in ctx.attr.beside.items() for file in target.files.to_list()]
    ctx.actions.run(
        mnemonic = "ArchivePages",
        progress_message = "Writing the pages of an archive",
        executable = ctx.executable._write,
        arguments = [outs[0].dirname, ",".join(others)] + [page.path for page in ctx.files.pages],
        inputs = ctx.files.pages,
        outputs = outs,
    )
    return [DefaultInfo(files = depset(outs), runfiles = ctx.runfiles(files = outs))]

archive_pages = rule(
    implementation = _archive_pages_impl,
    doc = "Pages for those who have the program and no repository with Bazel.",
    attrs = {
        "beside": attr.label_keyed_string_dict(
            allow_files = True,
            doc = "Other files that pages may link to, and their folder beside the pages: \"pictures\".",
        ),
        "pages": attr.label_list(allow_files = [".md"], mandatory = True, doc = "The pages of docs/."),
        "_write": attr.label(default = "//release:write_archive_pages", executable = True, cfg = "exec"),
    },
)
