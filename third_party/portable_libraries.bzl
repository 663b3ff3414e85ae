"""Debian's libraries for a program that runs where they are not installed: as archives to link, or else as shared libraries to lie beside the
program; their licences; and in packages.bzl the list of the packages."""

load("//third_party:debian.bzl", "INSTALLED")
load("//third_party:wheel.bzl", "run_command")

_FOLDER = "/usr/lib/x86_64-linux-gnu/"

# Archives, each with those that it needs. To these come all of Abseil. JBIG-KIT, which libtiff needs, is not among them: it is under the GPL.
_STATIC = {
    "Lerc": [],
    "crypto": [],
    "deflate": [],
    "exif": [],
    "jpeg": [],
    "lzma": [],
    "mbedcrypto": [],
    "png16": ["z"],
    "protobuf": [],
    "seccomp": [],
    "tiff": ["webp", "Lerc", "zstd", "lzma", "jpeg", "deflate", "z"],
    "webp": [],
    "yaml-cpp": [],
    "z": [],
    "zstd": [],
}

# Debian has no archives of OpenEXR. These shared libraries need zlib's.
_SHARED = [
    "libIex-3_1.so.30",
    "libIlmThread-3_1.so.30",
    "libImath-3_1.so.29",
    "libOpenEXR-3_1.so.30",
    "libz.so.1",
]

# Of which only headers are used.
_HEADERS = ["libstdc++-12-dev", "nlohmann-json3-dev"]

_BUILD = """
package(default_visibility = ["//visibility:public"])

filegroup(
    name = "static",
    srcs = glob(["static/*"]),
)

filegroup(
    name = "shared",
    srcs = glob(["shared/*"]),
)

filegroup(
    name = "licences",
    srcs = glob(["licences/*"]),
)

filegroup(
    name = "common_licences",
    srcs = glob(["common_licences/*"]),
)
"""

def _abseil(ctx):
    names = [file.basename for file in ctx.path(_FOLDER).readdir()]
    return [name[len("lib"):-len(".a")] for name in names if name.startswith("libabsl_") and name.endswith(".a")]

def _packages(ctx, files):
    """The names of the Debian packages that have the libraries `files`."""

    # Some packages call the folder /lib, which leads to /usr/lib.
    patterns = ["*/x86_64-linux-gnu/" + file for file in files]
    lines = run_command(ctx, ["dpkg-query", "--search"] + patterns).strip().split("\n")
    return sorted({line.split(":")[0]: None for line in lines})

def _describe(ctx, packages, use):
    """The packages as dicts: their names, versions and architectures, the source packages, and how the program uses them."""
    fields = ["name", "version", "architecture", "source"]
    form = "${Package} ${Version} ${Architecture} ${source:Package}\n"
    lines = run_command(ctx, ["dpkg-query", "--show", "--showformat", form] + packages).strip().split("\n")
    return [dict(zip(fields, line.split(" ")), use = use) for line in lines]

def _portable_libraries_impl(ctx):
    static = dict(_STATIC, **{name: [] for name in _abseil(ctx)})
    for name, needs in static.items():
        archive = "{}lib{}.a".format(_FOLDER, name)
        if needs:
            # Linkers take such a text for the archives that it names.
            ctx.file("static/lib{}.a".format(name), "GROUP({} {})\n".format(archive, " ".join(["-l" + need for need in needs])))
        else:
            ctx.symlink(archive, "static/lib{}.a".format(name))
    shared = [ctx.path(_FOLDER + name).realpath for name in _SHARED]
    for name, path in zip(_SHARED, shared):
        ctx.symlink(path, "shared/" + name)

    # Abseil names it, but calls it only on processors without the instructions.
    ctx.file("static/libatomic.a", "!<arch>\n")
    packages = (_describe(ctx, _packages(ctx, ["lib{}.a".format(name) for name in static]), "linked into the program") +
                _describe(ctx, _packages(ctx, [path.basename for path in shared]), "a shared library beside the program") +
                _describe(ctx, _HEADERS, "headers that the program was compiled with"))
    for package in packages:
        ctx.symlink("/usr/share/doc/{}/copyright".format(package["name"]), "licences/" + package["name"])
    ctx.file("packages.bzl", "PACKAGES = {}\n".format(repr(packages)))

    # The texts that the licences refer to.
    for text in ["Apache-2.0", "Artistic", "GFDL-1.2", "GPL-1", "GPL-2", "GPL-3", "LGPL-2", "LGPL-2.1"]:
        ctx.symlink("/usr/share/common-licenses/" + text, "common_licences/" + text)
    ctx.file("BUILD", _BUILD)

portable_libraries = repository_rule(
    doc = "Folders with Debian's static libraries, shared libraries and licences.",
    implementation = _portable_libraries_impl,
    attrs = {"_installed": INSTALLED},
)
