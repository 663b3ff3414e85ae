"""Tests that run one program with other arguments, so that it is linked once."""

def _program_test_impl(ctx):
    test = ctx.actions.declare_file(ctx.label.name)
    ctx.actions.write(test, "#!/bin/bash\nexec \"./{}\" \"$@\"\n".format(ctx.executable.program.short_path), is_executable = True)
    runfiles = ctx.runfiles(files = ctx.files.data + [ctx.executable.program])
    for target in ctx.attr.data + [ctx.attr.program]:
        runfiles = runfiles.merge(target[DefaultInfo].default_runfiles)
    return [DefaultInfo(executable = test, runfiles = runfiles)]

program_test = rule(
    implementation = _program_test_impl,
    doc = "Runs `program` with the arguments `args` among the files of `data`.",
    attrs = {
        "data": attr.label_list(allow_files = True),
        "program": attr.label(cfg = "target", executable = True, mandatory = True),
    },
    test = True,
)
