"""An exported model as a target: one cached action reads the plugins' YAML and the weights, and writes and proves the artifact."""

load("//build_defs:modelport_release.bzl", "rule_command")
load("//models:plugins.bzl", "HOSTS")

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
        "artifact": "the TorchScript or ONNX file",
        "manifest": "its manifest",
        "data": "the file beside an ONNX file that has its weights; None: it has them itself",
        "model": "the variant",
        "family": "ModelFamilyInfo of its family",
        "checkpoints": "the files of its weights, a list; empty: seeded weights",
        "licence": "the text of its weights' licence, a list of at most one file",
        "target": "the host that it is for",
        "runtime": "the LibTorch release that it is for; empty: the newest",
        "method": "the method that an ONNX file computes; empty: forward",
        "sizes": "the sizes of its inputs that an ONNX file has fixed, H=518; empty: all are free",
        "openvino": "the libraries in which an ONNX file is proven, a list; empty: it is no ONNX file",
        "wrapper": "the wrapper, of several for the target; empty: the default",
        "flags": "further flags of its export, a list",
    },
)

ModelProofsInfo = provider(
    doc = "Models that were exported and proven.",
    fields = {"manifests": "their manifests, a list"},
)

def _model_family_impl(ctx):
    used = [target[ModelFamilyInfo] for target in ctx.attr.uses]
    return [
        DefaultInfo(
            files = depset(ctx.files.srcs),
            runfiles = ctx.runfiles(files = ctx.files.srcs),
        ),
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

def _weights_setting_impl(ctx):
    if ctx.build_setting_value not in ["any", "published"]:
        fail("--{}={}: wants any or published".format(ctx.label, ctx.build_setting_value))
    return [_WeightsInfo(wanted = ctx.build_setting_value)]

_WeightsInfo = provider(doc = "Which weights artifacts may have.", fields = {"wanted": "any, or published: those that WORKSPACE binds"})

weights_setting = rule(
    implementation = _weights_setting_impl,
    build_setting = config.string(flag = True),
    doc = """The flag --//build_defs:weights: with published, an artifact whose weights would be seeded is an error; by default, any, it is made, and
its files say so.""",
)

def _is_torchscript(target):
    """Whether artifacts for this target are TorchScript, by the file's ending that Modelport gives them; all others are ONNX files."""
    return target in ["libtorch"] + HOSTS

def _openvino(target):
    """Nobody but ONNX files fetches it."""
    return None if _is_torchscript(target) else Label("@openvino//:libraries")

def _openvino_environment(libraries):
    """What tells Modelport where these files of OpenVINO are."""
    return {"MODELPORT_OPENVINO": libraries[0].dirname} if libraries else {}

# In the target configuration, in which people build the tools: the exec configuration would compile all a second time.
EXPORT = attr.label(default = "//build_defs:exporter", executable = True, cfg = "target")
_BILL_OF_MATERIALS = attr.label(default = "//tools/bill_of_materials", executable = True, cfg = "target")

def _export_arguments(ctx, model):
    """The flags of the export of `model`, a ModelArtifactInfo, but --out, the files that it reads, and its environment."""
    arguments = ctx.actions.args()
    arguments.add(model.model, format = "--model=%s")
    arguments.add_joined(model.family.folders, join_with = ",", format_joined = "--plugin_path=%s")
    if model.checkpoints:
        arguments.add_joined(model.checkpoints, join_with = ",", format_joined = "--checkpoint=%s")
    else:
        arguments.add("--weights=seeded")
    arguments.add(model.target, format = "--target=%s")
    if model.wrapper:
        arguments.add(model.wrapper, format = "--wrapper=%s")
    if model.runtime:
        arguments.add(model.runtime, format = "--runtime=%s")
    if model.method:
        arguments.add(model.method, format = "--method=%s")
    if model.sizes:
        arguments.add(model.sizes, format = "--sizes=%s")
    if model.data:
        arguments.add("--external_data")
    arguments.add_all(model.licence, format_each = "--licence_file=%s")
    arguments.add_all(model.flags)
    inputs = depset(
        model.checkpoints + model.openvino + model.licence,
        # LibTorch is among the tool's runfiles. A remote executor finds it only there.
        transitive = [model.family.yaml, ctx.attr._export[DefaultInfo].default_runfiles.files],
    )
    return arguments, inputs, _openvino_environment(model.openvino)

def _write_bill_of_materials(ctx, manifest):
    """Declares the action that writes the bill of materials of an artifact beside its manifest. Returns the file."""
    name = manifest.basename[:-len("manifest.json")] + "cdx.json"
    bill = ctx.actions.declare_file(name, sibling = manifest)
    arguments = ctx.actions.args()
    arguments.add(manifest, format = "--manifest=%s")
    arguments.add(bill, format = "--out=%s")
    program, command, files = rule_command(ctx, "bill_of_materials", "_bill_of_materials")
    ctx.actions.run(
        mnemonic = "BillOfMaterials",
        progress_message = "Writing " + bill.basename,
        executable = program,
        arguments = command + [arguments],
        inputs = depset([manifest], transitive = [files]),
        outputs = [bill],
    )
    return bill

# What flags say that an attribute does not, but for those that name files, which the action would not have.
_FLAGS = ["allow_nonfinite", "dtype", "knob", "layout", "name", "opset", "outputs", "prefix", "resample", "set", "state_dict", "with_preprocess"]

def _check_flags(ctx):
    for flag in ctx.attr.flags:
        if not flag.startswith("--") or flag[2:].partition("=")[0] not in _FLAGS:
            fail("{}: flags: {}: wants flags of export, of these: --{}".format(ctx.label, flag, ", --".join(_FLAGS)))

def _model_artifact_impl(ctx):
    _check_flags(ctx)
    if not ctx.files.checkpoints and ctx.attr._weights[_WeightsInfo].wanted == "published":
        fail(("{}: WORKSPACE binds {} to no weights, and --{}=published lets none be seeded\n" +
              "  add published_checkpoints([\"{}\"]) or a checkpoint_archive: docs/catalog.md").format(ctx.label, ctx.attr.model, ctx.attr._weights.label, ctx.attr.model))
    name = ctx.label.name if ctx.files.checkpoints else ctx.label.name + ".seeded"

    ending = "" if _is_torchscript(ctx.attr.target) else ".onnx"
    artifact = ctx.actions.declare_file(name + (ending or ".pt"))
    manifest = ctx.actions.declare_file(name + ending + ".manifest.json")
    data = ctx.actions.declare_file(name + ending + ".data") if ctx.attr.external_data else None
    files = [file for file in [artifact, data, manifest] if file]
    model = ModelArtifactInfo(
        artifact = artifact,
        manifest = manifest,
        data = data,
        model = ctx.attr.model,
        family = ctx.attr.family[ModelFamilyInfo],
        checkpoints = ctx.files.checkpoints,
        licence = ctx.files.licence_file,
        target = ctx.attr.target,
        runtime = ctx.attr.runtime,
        method = ctx.attr.method,
        sizes = ctx.attr.sizes,
        openvino = ctx.files._openvino,
        wrapper = ctx.attr.wrapper,
        flags = ctx.attr.flags,
    )
    arguments, inputs, environment = _export_arguments(ctx, model)
    arguments.add(artifact, format = "--out=%s")
    ctx.actions.run(
        mnemonic = "ModelExport",
        progress_message = "Exporting " + ctx.label.name,
        executable = ctx.executable._export,
        arguments = [arguments],
        inputs = inputs,
        env = environment,
        outputs = files,
        # A giant stays on the machine that builds it: remote execution would store it to bring it back.
        execution_requirements = {"no-cache": "1", "no-remote-exec": "1"} if ctx.attr.large else {},
    )
    return [
        DefaultInfo(
            files = depset(files),
            runfiles = ctx.runfiles(files = files),
        ),
        OutputGroupInfo(bom = depset([_write_bill_of_materials(ctx, manifest)])),
        model,
        ModelProofsInfo(manifests = [manifest]),
    ]

model_artifact = rule(
    implementation = _model_artifact_impl,
    doc = """Exports and proves a variant: NAME.pt and NAME.manifest.json, or NAME.seeded.pt and NAME.seeded.manifest.json if it
has no checkpoint; for a target that loads ONNX NAME.onnx and NAME.onnx.manifest.json, for whose proof OpenVINO is fetched, and with external_data NAME.onnx.data. The output group `bom` is its bill of materials, NAME.cdx.json or NAME.seeded.cdx.json.""",
    attrs = {
        "checkpoints": attr.label_list(doc = "The files of the weights; by default seeded ones.", allow_files = True),
        "external_data": attr.bool(doc = "For a target that loads ONNX: whether the weights lie in a file of their own, as they have to above 2 GB."),
        "family": attr.label(doc = "The plugin that has the variant.", mandatory = True, providers = [ModelFamilyInfo]),
        "flags": attr.string_list(doc = "Further flags of export, such as --dtype=float16, --knob=convention=1 or --set=far=0."),
        "licence_file": attr.label(doc = "The text of the weights' licence, which the artifact brings along.", allow_single_file = True),
        "large": attr.bool(doc = "Whether the artifact is so large that it shall be made where it is built and stored in no cache."),
        "method": attr.string(doc = "For a target that loads ONNX: the method of the model that the file computes, such as image_features; by default forward."),
        "model": attr.string(doc = "The variant.", mandatory = True),
        "runtime": attr.string(doc = "The LibTorch release that it is for, such as 1.6; by default the newest."),
        "sizes": attr.string(doc = "For a target that loads ONNX: the sizes of the inputs that the file has fixed, such as B=1,H=518,W=518."),
        "target": attr.string(doc = "The host that it is for.", default = "libtorch"),
        "wrapper": attr.string(doc = "The wrapper, of several for the target; by default the first."),
        "_bill_of_materials": _BILL_OF_MATERIALS,
        "_export": EXPORT,
        "_openvino": attr.label(default = _openvino),
        "_weights": attr.label(default = "//build_defs:weights"),
    },
)

def _model_package_impl(ctx):
    model = ctx.attr.artifact[ModelArtifactInfo]
    if ctx.files.picture and not model.checkpoints:
        fail("{}: picture: {} has seeded weights, which predict nothing\n  bind its weights first: docs/catalog.md".format(ctx.label, ctx.attr.artifact.label))
    folder = ctx.actions.declare_directory(ctx.label.name)
    arguments = ctx.actions.args()
    arguments.add(model.artifact, format = "--artifact=%s")
    arguments.add(model.manifest, format = "--manifest=%s")
    if model.data:
        arguments.add(model.data, format = "--data=%s")
    arguments.add_joined(ctx.files.picture, join_with = ",", format_joined = "--picture=%s", omit_if_empty = True)

    # In which a picture of an ONNX file is drawn.
    openvino = model.openvino if ctx.files.picture else []
    arguments.add(folder.path, format = "--out=%s")
    program, command, files = rule_command(ctx, "package_artifact", "_package")
    ctx.actions.run(
        mnemonic = "ModelPackage",
        progress_message = "Packaging " + ctx.label.name,
        executable = program,
        arguments = command + [arguments],
        inputs = depset(
            [file for file in [model.artifact, model.data, model.manifest] if file] + ctx.files.picture + openvino,
            transitive = [files],
        ),
        env = _openvino_environment(openvino),
        outputs = [folder],
        # It holds a copy of the artifact, which is quicker to make than to fetch.
        execution_requirements = {"no-cache": "1", "no-remote-exec": "1"},
    )
    return [DefaultInfo(files = depset([folder]), runfiles = ctx.runfiles(files = [folder]))]

model_package = rule(
    implementation = _model_package_impl,
    doc = "The folder NAME for the host of an artifact: the artifact, its manifest, and what `bazel run //tools:package` puts beside them.",
    attrs = {
        "artifact": attr.label(doc = "A model_artifact() for a host that has packages.", mandatory = True, providers = [ModelArtifactInfo]),
        "picture": attr.label_list(
            doc = """The images of which NAME_picture.png shows what the node makes, as of package --picture: one, of mattes and prompted depth two,
of a node between frames two. By default there is no picture: what a model draws differs by rounding from processor to processor.""",
            allow_files = True,
        ),
        "_export": EXPORT,
        "_package": attr.label(default = "//tools/package:package_artifact", executable = True, cfg = "target"),
    },
)

def _prove(ctx, model, after):
    """Declares the action that proves `model`, a ModelArtifactInfo. Returns its manifest and an empty file that is there when it has ended."""
    arguments, inputs, environment = _export_arguments(ctx, model)
    path = "{}/{}".format(ctx.label.name, model.manifest.basename)
    manifest = ctx.actions.declare_file(path)
    done = ctx.actions.declare_file(path[:-len("manifest.json")] + "done")
    ctx.actions.run_shell(
        mnemonic = "ModelProof",
        progress_message = "Proving " + model.artifact.basename,
        # The artifact exists as long as the action runs.
        command = """
artifact=${1%.manifest.json} done=$2
case $artifact in *.onnx) ;; *) artifact=$artifact.pt ;; esac
shift 2
trap 'rm -f "$artifact" "$artifact.data"' EXIT
"$@" --out="$artifact" && : >"$done"
""",
        arguments = [manifest.path, done.path, ctx.executable._export.path, arguments],
        tools = [ctx.executable._export],
        # The file `after` never changes, so a change of the model before does not make this proof anew.
        inputs = depset([after] if after else [], transitive = [inputs]),
        env = environment,
        outputs = [manifest, done],
    )
    return manifest, done

def _model_proofs_impl(ctx):
    manifests, done = [], None
    for artifact in ctx.attr.artifacts:
        manifest, done = _prove(ctx, artifact[ModelArtifactInfo], after = done)
        manifests.append(manifest)
    return [
        DefaultInfo(files = depset(manifests)),
        OutputGroupInfo(bom = depset([_write_bill_of_materials(ctx, manifest) for manifest in manifests])),
        ModelProofsInfo(manifests = manifests),
    ]

model_proofs = rule(
    implementation = _model_proofs_impl,
    doc = """Exports and proves models and keeps their manifests only, in the folder NAME. One model is proven at a time, since a giant takes most of a
machine's memory. The output group `bom` has their bills of materials.""",
    attrs = {
        "artifacts": attr.label_list(doc = "The model_artifact() of each model, which is not built.", providers = [ModelArtifactInfo]),
        "_bill_of_materials": _BILL_OF_MATERIALS,
        "_export": EXPORT,
    },
)
