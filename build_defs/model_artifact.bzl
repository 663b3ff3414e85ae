"""An exported model as a target: one cached action reads the plugins' YAML and the weights, and writes and proves the artifact."""

ModelFamilyInfo = provider(
    doc = "The plugin of a model family.",
    fields = {
        "name": "the family",
        "yaml": "depset of its YAML files and those of every family that it uses",
        "folders": "depset of the folders of these plugins",
    },
)

ModelArtifactInfo = provider(
    doc = "An exported model.",
    fields = {
        "artifact": "the TorchScript file",
        "manifest": "its manifest",
        "model": "the variant",
        "family": "its family",
        "target": "the host that it is for",
        "runtime": "the LibTorch release that it is for; empty: the newest",
    },
)

def _model_family_impl(ctx):
    used = [target[ModelFamilyInfo] for target in ctx.attr.uses]
    return [
        DefaultInfo(files = depset(ctx.files.srcs)),
        ModelFamilyInfo(
            name = ctx.label.package.split("/")[-1],
            yaml = depset(ctx.files.srcs, transitive = [info.yaml for info in used]),
            folders = depset([ctx.label.package], transitive = [info.folders for info in used]),
        ),
    ]

model_family = rule(
    implementation = _model_family_impl,
    doc = "The YAML files of a plugin.",
    attrs = {
        "srcs": attr.label_list(allow_files = [".yaml"], mandatory = True),
        "uses": attr.label_list(doc = "The families that it uses.", providers = [ModelFamilyInfo]),
    },
)

def _model_artifact_impl(ctx):
    family = ctx.attr.family[ModelFamilyInfo]
    artifact = ctx.actions.declare_file(ctx.label.name + ".pt")
    manifest = ctx.actions.declare_file(ctx.label.name + ".manifest.json")
    arguments = ctx.actions.args()
    arguments.add(ctx.attr.model, format = "--model=%s")
    arguments.add_joined(family.folders, join_with = ",", format_joined = "--plugin_path=%s")
    arguments.add(ctx.attr.target, format = "--target=%s")
    arguments.add(ctx.attr.dtype, format = "--dtype=%s")
    if ctx.attr.runtime:
        arguments.add(ctx.attr.runtime, format = "--runtime=%s")
    if ctx.file.checkpoint:
        arguments.add(ctx.file.checkpoint, format = "--checkpoint=%s")
    else:
        arguments.add("--weights=seeded")
    arguments.add(artifact, format = "--out=%s")
    ctx.actions.run(
        mnemonic = "ModelExport",
        progress_message = "Exporting " + ctx.label.name,
        executable = ctx.executable._export,
        arguments = [arguments],
        inputs = depset(
            ctx.files.checkpoint,
            transitive = [family.yaml, ctx.attr._export[DefaultInfo].default_runfiles.files],
        ),
        outputs = [artifact, manifest],
    )
    return [
        DefaultInfo(files = depset([artifact, manifest])),
        ModelArtifactInfo(
            artifact = artifact,
            manifest = manifest,
            model = ctx.attr.model,
            family = family.name,
            target = ctx.attr.target,
            runtime = ctx.attr.runtime,
        ),
    ]

model_artifact = rule(
    implementation = _model_artifact_impl,
    doc = "Exports and proves a variant: NAME.pt and NAME.manifest.json.",
    attrs = {
        "model": attr.string(doc = "The variant.", mandatory = True),
        "family": attr.label(doc = "The plugin that has it.", mandatory = True, providers = [ModelFamilyInfo]),
        "target": attr.string(doc = "The host that it is for.", default = "libtorch"),
        "runtime": attr.string(doc = "The LibTorch release that it is for, such as 1.6; by default the newest."),
        "dtype": attr.string(default = "float32", values = ["float32", "float16", "bfloat16"]),
        "checkpoint": attr.label(doc = "The weights; by default seeded ones.", allow_single_file = True),
        # The target configuration builds it once for people and actions.
        "_export": attr.label(default = "//tools:export_action", executable = True, cfg = "target"),
    },
)
