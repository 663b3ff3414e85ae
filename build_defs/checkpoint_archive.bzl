"""Checkpoints as external repositories, which bind variants to their published weights."""

load("@bazel_tools//tools/build_defs/repo:utils.bzl", "read_netrc", "use_netrc")

# The repository of the variant NAME is @checkpoint_NAME, or of a file that fills one part of it @checkpoint_NAME-PART.
CHECKPOINT_PREFIX = "checkpoint_"

def _auth(ctx, urls):
    path = ctx.attr.netrc or ctx.os.environ.get("NETRC") or ctx.os.environ.get("HOME", "") + "/.netrc"
    if not ctx.path(path).exists:
        return {}
    return use_netrc(read_netrc(ctx, path), urls, ctx.attr.auth_patterns)

# Bazel fetches nothing over plain http without a hash.
_PRINT_SHA256 = """
import hashlib, sys, urllib.request
digest = hashlib.sha256()
with urllib.request.urlopen(sys.argv[1], timeout=20) as file:
    for block in iter(lambda: file.read(1 << 20), b""):
        digest.update(block)
print(digest.hexdigest())
"""

def _found_sha256(ctx, urls, auth):
    """The first address that answers and the sha256 of what it has; None if none answers."""
    for url in urls:
        found = ctx.download([url], "other", auth = auth, allow_fail = True)
        if found.success:
            return url, found.sha256
        if url.startswith("http://"):
            printed = ctx.execute(["python3", "-c", _PRINT_SHA256, url], timeout = 3600)
            if printed.return_code == 0:
                return url, printed.stdout.strip()
    return None

def fetch_checkpoint(ctx, urls, sha256, path, variant, stated_in):
    """Fetches a checkpoint of `variant` in a repository rule that has the attributes netrc and auth_patterns.

    Args:
      ctx: of the repository rule.
      urls: addresses of mirrors.
      sha256: of the checkpoint.
      path: of the file to write.
      variant: for messages.
      stated_in: the file that states the sha256, for messages.
    """
    for url in urls:
        # Bazel would take the list of a folder's files for the checkpoint.
        if url.startswith("file://") and ctx.execute(["test", "-d", url[len("file://"):]]).return_code == 0:
            fail("{}: the checkpoint of {} wants a file, has a folder".format(url, variant))
    auth = _auth(ctx, urls)
    if ctx.download(urls, path, sha256 = sha256, auth = auth, allow_fail = True).success:
        return
    found = _found_sha256(ctx, urls, auth)
    if not found:
        fail("{}: the checkpoint of {} cannot be fetched; the warnings above have the reason".format(", ".join(urls), variant))
    url, found_sha256 = found
    fail(("{}: the checkpoint of {} has sha256 {}, {} wants {}\n" +
          "  if the published file was replaced on purpose, write its sha256 in {}; if not, the download is damaged " +
          "or not the file that was published").format(url, variant, found_sha256, stated_in, sha256, stated_in))

def check_place(where, repository):
    """Ends with an error if a line of WORKSPACE stands where it has no effect.

    Args:
      where: the line, for the message.
      repository: the variant, or the variant and "-PART", that it binds.
    """
    others = native.existing_rules()
    if "plugin_catalog" in others:
        fail("{}: stands below plugin_catalog() in WORKSPACE, which has been made without it: move it above".format(where))
    if CHECKPOINT_PREFIX + repository in others:
        fail("{}: stands in WORKSPACE twice: delete one of both, or give each the part that it fills".format(where))

def _checkpoint_repository_impl(ctx):
    name = ctx.attr.urls[0].split("?")[0].split("/")[-1]
    fetch_checkpoint(ctx, ctx.attr.urls, ctx.attr.sha256, name, ctx.name[len(CHECKPOINT_PREFIX):], "WORKSPACE")
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
      sha256: of the checkpoint, as 64 hex digits, letters in lower case.
      netrc: a netrc file with passwords; by default the environment's NETRC, or ~/.netrc.
      auth_patterns: as http_file has them.
    """
    where = "checkpoint_archive {}{}".format(name, ", part " + part if part else "")
    wrong = [digit for digit in sha256.elems() if digit not in "0123456789abcdef"]
    if len(sha256) != 64 or wrong:
        fail("{}: wants sha256 as 64 hex digits, letters in lower case, has \"{}\"".format(where, sha256))
    repository = name + ("-" + part if part else "")
    check_place(where, repository)
    _checkpoint_repository(
        name = CHECKPOINT_PREFIX + repository,
        auth_patterns = auth_patterns,
        netrc = netrc,
        sha256 = sha256,
        urls = urls,
    )
