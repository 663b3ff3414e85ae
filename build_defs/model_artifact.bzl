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

ModelProofInfo = provider(
    doc = "A proof of a model.",
    fields = {"done": "depset of an empty file that is there when the proof is"},
)

def _model_family_impl(ctx):
    used = [target[ModelFamilyInfo] for target in ctx.attr.uses]
    return [
        DefaultInfo(files = depset(ctx.files.srcs)),
        ModelFamilyInfo(
            name = ctx.label.package.split("/")[-1],
            yaml = depset(ctx.files.srcs, transitive = [info.yaml for info in used]),
            folders = depset([ctx.files.srcs[0].dirname], transitive = [info.folders for info in used]),
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

_EXPORT_ATTRS = {
    "model": attr.string(doc = "The variant.", mandatory = True),
    "family": attr.label(doc = "The plugin that has it.", mandatory = True, providers = [ModelFamilyInfo]),
    "checkpoint": attr.label(doc = "The weights; by default seeded ones.", allow_single_file = True),
    # In the target configuration, in which people build the tools: the exec configuration would compile all a second time.
    "_export": attr.label(default = "//tools:export_action", executable = True, cfg = "target"),
}

def _export_arguments(ctx):
    """The flags of an export but --out, and the files that it reads."""
    family = ctx.attr.family[ModelFamilyInfo]
    arguments = ctx.actions.args()
    arguments.add(ctx.attr.model, format = "--model=%s")
    arguments.add_joined(family.folders, join_with = ",", format_joined = "--plugin_path=%s")
    if ctx.file.checkpoint:
        arguments.add(ctx.file.checkpoint, format = "--checkpoint=%s")
    else:
        arguments.add("--weights=seeded")
    inputs = depset(
        ctx.files.checkpoint,
        # LibTorch is among the tool's runfiles. A remote executor finds it only there.
        transitive = [family.yaml, ctx.attr._export[DefaultInfo].default_runfiles.files],
    )
    return arguments, inputs

def _model_artifact_impl(ctx):
    arguments, inputs = _export_arguments(ctx)
    arguments.add(ctx.attr.target, format = "--target=%s")
    if ctx.attr.runtime:
        arguments.add(ctx.attr.runtime, format = "--runtime=%s")
    name = ctx.label.name + ("" if ctx.file.checkpoint else ".seeded")
    artifact = ctx.actions.declare_file(name + ".pt")
    manifest = ctx.actions.declare_file(name + ".manifest.json")
    arguments.add(artifact, format = "--out=%s")
    ctx.actions.run(
        mnemonic = "ModelExport",
        progress_message = "Exporting " + ctx.label.name,
        executable = ctx.executable._export,
        arguments = [arguments],
        inputs = inputs,
        outputs = [artifact, manifest],
        execution_requirements = {"no-cache": "1"} if ctx.attr.large else {},
    )
    return [
        DefaultInfo(
            files = depset([artifact, manifest]),
            runfiles = ctx.runfiles(files = [artifact, manifest]),
        ),
        ModelArtifactInfo(
            artifact = artifact,
            manifest = manifest,
            model = ctx.attr.model,
            family = ctx.attr.family[ModelFamilyInfo].name,
            target = ctx.attr.target,
            runtime = ctx.attr.runtime,
        ),
    ]

model_artifact = rule(
    implementation = _model_artifact_impl,
    doc = """Exports and proves a variant: NAME.pt and NAME.manifest.json, or NAME.seeded.pt and NAME.seeded.manifest.json if it
has no checkpoint.""",
    attrs = dict(
        _EXPORT_ATTRS,
        large = attr.bool(doc = "Whether the artifact is so large that caches shall not store it."),
        runtime = attr.string(doc = "The LibTorch release that it is for, such as 1.6; by default the newest."),
        target = attr.string(doc = "The host that it is for.", default = "libtorch"),
    ),
)

def _model_proof_impl(ctx):
    arguments, inputs = _export_arguments(ctx)
    name = ctx.label.name + ("" if ctx.file.checkpoint else ".seeded")
    manifest = ctx.actions.declare_file(name + ".manifest.json")
    done = ctx.actions.declare_file(ctx.label.name + ".done")
    ctx.actions.run_shell(
        mnemonic = "ModelProof",
        progress_message = "Proving " + ctx.label.name,
        # The artifact exists as long as the action runs.
        command = """
artifact=${1%.manifest.json}.pt done=$2
shift 2
trap 'rm -f "$artifact"' EXIT
"$@" --out="$artifact" && : >"$done"
""",
        arguments = [manifest.path, done.path, ctx.executable._export.path, arguments],
        tools = [ctx.executable._export],
        # The file of `after` never changes, so that a change of the other model does not make this proof anew.
        inputs = depset(transitive = [inputs] + ([ctx.attr.after[ModelProofInfo].done] if ctx.attr.after else [])),
        outputs = [manifest, done],
    )
    return [
        DefaultInfo(files = depset([manifest])),
        ModelProofInfo(done = depset([done])),
    ]

model_proof = rule(
    implementation = _model_proof_impl,
    doc = "Exports and proves a variant and keeps only its manifest, NAME.manifest.json.",
    attrs = dict(
        _EXPORT_ATTRS,
        after = attr.label(doc = "The proof that shall end before this one begins.", providers = [ModelProofInfo]),
    ),
)
