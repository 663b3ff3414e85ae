"""Checkpoints as external repositories, which bind variants to their published weights."""

load("@bazel_tools//tools/build_defs/repo:utils.bzl", "read_netrc", "use_netrc")

# The repository of the variant NAME is @checkpoint_NAME, or of a file that fills one part of it @checkpoint_NAME-PART.
CHECKPOINT_PREFIX = "checkpoint_"

def _auth(ctx):
    path = ctx.attr.netrc or ctx.os.environ.get("NETRC") or ctx.os.environ.get("HOME", "") + "/.netrc"
    if not ctx.path(path).exists:
        return {}
    return use_netrc(read_netrc(ctx, path), ctx.attr.urls, ctx.attr.auth_patterns)

def _checkpoint_repository_impl(ctx):
    variant = ctx.name[len(CHECKPOINT_PREFIX):]
    for url in ctx.attr.urls:
        # Bazel would take the list of a folder's files for the checkpoint.
        if url.startswith("file://") and ctx.execute(["test", "-d", url[len("file://"):]]).return_code == 0:
            fail("{}: the checkpoint of {} wants a file, has a folder".format(url, variant))
    name = ctx.attr.urls[0].split("?")[0].split("/")[-1]
    auth = _auth(ctx)
    if not ctx.download(ctx.attr.urls, name, sha256 = ctx.attr.sha256, auth = auth, allow_fail = True).success:
        found = ctx.download(ctx.attr.urls, "other", auth = auth, allow_fail = True)
        if not found.success:
            fail("{}: the checkpoint of {} cannot be fetched; the warnings above have the reason".format(", ".join(ctx.attr.urls), variant))
        fail(("{}: the checkpoint of {} has sha256 {}, WORKSPACE wants {}\n" +
              "  if the published file was replaced on purpose, write its sha256 in WORKSPACE; if not, the download is damaged " +
              "or not the file that was published").format(ctx.attr.urls[0], variant, found.sha256, ctx.attr.sha256))
    ctx.file("BUILD", 'filegroup(name = "file", srcs = ["{}"], visibility = ["//visibility:public"])\n'.format(name))

_checkpoint_repository = repository_rule(
    implementation = _checkpoint_repository_impl,
    attrs = {
        "urls": attr.string_list(mandatory = True),
        "sha256": attr.string(mandatory = True),
        "netrc": attr.string(),
        "auth_patterns": attr.string_dict(),
    },
)

def checkpoint_archive(name, urls, sha256, part = "", netrc = "", auth_patterns = {}):
    """Binds a variant to its weights. Stands in WORKSPACE above plugin_catalog(), once for each file of the variant.

    Args:
      name: the variant.
      part: what the file fills of a variant of several files: its name under `files` in plugin.yaml.
      urls: where its checkpoint is: addresses of mirrors, the first that answers is used; file:// is one, too.
      sha256: of the checkpoint, as 64 hex digits.
      netrc: a netrc file with passwords; by default the environment's NETRC, or ~/.netrc.
      auth_patterns: as http_file has them.
    """
    if len(sha256) != 64:
        fail("checkpoint_archive {}: wants sha256 as 64 hex digits, has \"{}\"".format(name, sha256))
    _checkpoint_repository(
        name = CHECKPOINT_PREFIX + name + ("-" + part if part else ""),
        auth_patterns = auth_patterns,
        netrc = netrc,
        sha256 = sha256,
        urls = urls,
    )
