"""What modelport prints, as a file."""

def _page_impl(ctx):
    # In the target configuration, as in model_artifact.
    ctx.actions.run_shell(
        mnemonic = "ModelportPage",
        command = '"$1" $2 >"$3"',
        arguments = [ctx.executable._modelport.path, ctx.attr.command, ctx.outputs.out.path],
        tools = [ctx.executable._modelport],
        outputs = [ctx.outputs.out],
    )

page = rule(
    implementation = _page_impl,
    doc = "The output of a command of modelport.",
    attrs = {
        "command": attr.string(mandatory = True, doc = "The command and its arguments."),
        "out": attr.output(mandatory = True),
        "_modelport": attr.label(default = "//release:modelport", executable = True, cfg = "target"),
    },
)
