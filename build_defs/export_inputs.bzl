"""What each export reads, from the action graph."""

load("//build_defs:model_artifact.bzl", "ModelArtifactInfo")

_ExportInputsInfo = provider(fields = {"inputs": "depset of the inputs of a target's export"})

def _export_inputs_aspect_impl(target, _ctx):
    inputs = [action.inputs for action in target.actions if action.mnemonic == "ModelExport"]
    return [_ExportInputsInfo(inputs = depset(transitive = inputs))]

_export_inputs_aspect = aspect(implementation = _export_inputs_aspect_impl)

def _export_inputs_impl(ctx):
    table = ctx.actions.declare_file(ctx.label.name + ".txt")
    lines = []
    for artifact in ctx.attr.artifacts:
        name = "//{}:{}".format(artifact.label.package, artifact.label.name)
        for file in artifact[_ExportInputsInfo].inputs.to_list():
            lines.append("{} {}".format(name, file.short_path))
    ctx.actions.write(table, "\n".join(sorted(lines)) + "\n")
    return [DefaultInfo(files = depset([table]), runfiles = ctx.runfiles(files = [table]))]

export_inputs = rule(
    implementation = _export_inputs_impl,
    doc = "NAME.txt: a line with the label of an artifact and the path of a file, for every file that its export action reads.",
    attrs = {
        "artifacts": attr.label_list(
            aspects = [_export_inputs_aspect],
            mandatory = True,
            providers = [ModelArtifactInfo],
        ),
    },
)
