"""A software bill of materials."""

def _escape(text):
    """A name or a version of a Debian package as a package URL has it."""
    return text.replace("+", "%2B")

def _debian_component(package):
    url = "pkg:deb/debian/{}@{}?arch={}&distro=debian-12&upstream={}".format(
        _escape(package["name"]),
        _escape(package["version"]),
        package["architecture"],
        _escape(package["source"]),
    )
    return {
        "type": "library",
        "bom-ref": url,
        "name": package["name"],
        "version": package["version"],
        "purl": url,
        "properties": [{"name": "modelport:use", "value": package["use"]}],
    }

def _libtorch_component(version, sha256):
    component = {
        "type": "library",
        "bom-ref": "libtorch",
        "name": "torch",
        "licenses": [{"license": {"id": "BSD-3-Clause"}}],
        "properties": [{"name": "modelport:use", "value": "shared libraries beside the program"}],
    }
    if not version:
        return component
    return dict(
        component,
        version = version,
        purl = "pkg:pypi/torch@" + _escape(version),
        hashes = [{"alg": "SHA-256", "content": sha256}],
    )

def _sbom_impl(ctx):
    program = {
        "type": "application",
        "bom-ref": "modelport",
        "name": "modelport",
        "version": ctx.attr.version,
        "licenses": [{"license": {"id": "Apache-2.0"}}],
    }
    components = [_libtorch_component(ctx.attr.libtorch_version, ctx.attr.libtorch_sha256)]
    components += [_debian_component(json.decode(package)) for package in ctx.attr.packages]
    bom = {
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "version": 1,
        "metadata": {"component": program},
        "components": components,
        "dependencies": [{"ref": "modelport", "dependsOn": [component["bom-ref"] for component in components]}],
        # LibTorch's wheel does not list the libraries that are linked into it.
        "compositions": [{"aggregate": "incomplete", "assemblies": ["libtorch"]}],
    }
    ctx.actions.write(ctx.outputs.out, json.encode_indent(bom, indent = "  ") + "\n")
    return [DefaultInfo(runfiles = ctx.runfiles(files = [ctx.outputs.out]))]

_sbom = rule(
    implementation = _sbom_impl,
    attrs = {
        "libtorch_sha256": attr.string(),
        "libtorch_version": attr.string(),
        "out": attr.output(mandatory = True),
        "packages": attr.string_list(mandatory = True, doc = "Each a JSON object."),
        "version": attr.string(mandatory = True),
    },
)

def sbom(name, out, version, libtorch_version, libtorch_sha256, packages):
    """Lists what a release of Modelport consists of, as CycloneDX 1.5 in JSON, without a time: equal bytes for equal parts.

    Args:
      name: of the target.
      out: the file.
      version: of Modelport.
      libtorch_version: of the wheel that LibTorch comes from; empty if it comes from elsewhere.
      libtorch_sha256: the same wheel's digest.
      packages: Debian packages, as PACKAGES of @portable_libraries.
    """
    _sbom(
        name = name,
        out = out,
        version = version,
        libtorch_version = libtorch_version,
        libtorch_sha256 = libtorch_sha256,
        packages = [json.encode(package) for package in packages],
    )
