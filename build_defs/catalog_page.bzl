"""A page of models, made from their manifests."""

load("//build_defs:model_artifact.bzl", "EXPORT", "ModelProofsInfo")
load("//build_defs:modelport_release.bzl", "rule_command")

def _catalog_page_impl(ctx):
    json = ctx.actions.declare_file(ctx.label.name + "/catalog.json")
    html = ctx.actions.declare_file(ctx.label.name + "/catalog.html")
    manifests = [manifest for proofs in ctx.attr.proofs for manifest in proofs[ModelProofsInfo].manifests]
    arguments = ctx.actions.args()
    arguments.add_joined(manifests, join_with = ",", format_joined = "--manifests=%s")
    arguments.add(json, format = "--json=%s")
    arguments.add(html, format = "--html=%s")
    program, command, files = rule_command(ctx, "catalog_page", "_catalog_page")
    ctx.actions.run(
        mnemonic = "CatalogPage",
        executable = program,
        arguments = command + [arguments],
        inputs = depset(manifests, transitive = [files]),
        outputs = [json, html],
    )
    outputs = [json, html]
    return [DefaultInfo(files = depset(outputs), runfiles = ctx.runfiles(files = outputs))]

catalog_page = rule(
    implementation = _catalog_page_impl,
    doc = "NAME/catalog.html, a page with a row for each artifact, and NAME/catalog.json, their manifests.",
    attrs = {
        "proofs": attr.label_list(
            doc = "The model_proofs() and model_artifact() targets of the artifacts, in the order of the page.",
            allow_empty = False,
            mandatory = True,
            providers = [ModelProofsInfo],
        ),
        # In the target configuration, for the reason that model_artifact.bzl gives.
        "_catalog_page": attr.label(default = "//tools/catalog_page", executable = True, cfg = "target"),
        "_export": EXPORT,
    },
)
