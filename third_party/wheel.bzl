"""Fetches wheels of Python packages for the native libraries and headers in them. pip fetches them and unzip unpacks them; nothing that is built
or run with them needs Python."""

def run_command(ctx, command):
    """Runs `command` in the repository's folder and returns its stdout; fails where it does."""
    result = ctx.execute(command)
    if result.return_code:
        fail("{}: {}: {}".format(ctx.name, " ".join(command), result.stderr))
    return result.stdout

def _pip_arguments(wheel):
    # The tags in the file's name pin the file, whatever Python the user has.
    # A number of the build may stand between the version and the tags.
    parts = wheel[:-len(".whl")].split("-")
    package, version = parts[:2]
    python, abi, platform = parts[-3:]
    implementation, digits = python[:2], python[2:]
    return [
        "--implementation=" + implementation,
        "--python-version=" + (digits[0] + "." + digits[1:]).rstrip("."),
        "--abi=" + abi,
        "--platform=" + platform,
        "{}=={}".format(package, version),
    ]

def fetch_wheel(ctx, wheel, sha256, index = None, cure = ""):
    """Downloads the file `wheel` into the repository's folder and verifies it.

    Args:
      ctx: the repository context.
      wheel: the file's name: "torch-2.1.1-cp310-cp310-manylinux1_x86_64.whl".
      sha256: of the file.
      index: URL of an index to ask if the user's configured ones do not have it.
      cure: what to add to the message if no index has it.
    """
    errors = []
    download = str(ctx.path(Label("//third_party:pip_download.sh")))
    for options in [[]] + ([["--index-url", index]] if index else []):
        ctx.report_progress("fetching " + wheel)
        fetched = ctx.execute(["sh", download] + _pip_arguments(wheel) + options, timeout = 3600)
        if fetched.return_code == 0:
            break
        errors.append("\n  {}: {}".format(" ".join(options) or "the configured indexes", fetched.stderr.strip()))
    if fetched.return_code:
        fail("{}: no package index has it{}{}".format(wheel, "".join(errors), cure))
    digest = run_command(ctx, ["sha256sum", wheel]).split(" ")[0]
    if digest != sha256:
        fail("{}: wants sha256 {}, has {}: the package index serves another file".format(wheel, sha256, digest))

def unpack_wheel(ctx, wheel, libraries, headers = None):
    """Unpacks parts of a fetched wheel and deletes it.

    Args:
      ctx: the repository context.
      wheel: the file's name.
      libraries: wildcards of members that go to lib/.
      headers: the wheel's folder of headers, which becomes include/.
    """
    run_command(ctx, ["unzip", "-q", "-j", wheel] + libraries + ["-d", "lib"])
    if headers:
        run_command(ctx, ["unzip", "-q", wheel, headers + "/*"])
        run_command(ctx, ["mv", headers, "include"])
        ctx.delete(headers.split("/")[0])
    ctx.delete(wheel)
