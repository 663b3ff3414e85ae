"""C++ classes of protocol buffer messages, by Debian's protoc."""

load("@com_google_protobuf//:versions.bzl", "VERSIONS")
load("@rules_cc//cc:defs.bzl", "cc_library")

def cc_proto(name, src, **kwargs):
    """A library with the C++ classes of a .proto file: x.proto becomes x.pb.h.

    Args:
      name: of the library.
      src: the .proto file, which imports no other.
      **kwargs: further attributes of the library.
    """
    stem = src[:-len(".proto")]
    header, source = stem + ".pb.h", stem + ".pb.cc"

    # Includes are relative to this repository's root, which is below external/ where another repository depends on this one.
    root = Label("//:BUILD").workspace_root or "."
    native.genrule(
        name = name + "_protoc",
        srcs = [src],
        outs = [header, source],
        # Bazel does not track protoc itself. Its version in the command makes Bazel run it again after an upgrade.
        cmd = "protoc --proto_path={root} --cpp_out=$(GENDIR)/{root} $(location {src}) # {versions}".format(
            root = root,
            src = src,
            versions = " ".join(VERSIONS),
        ),
    )
    cc_library(
        name = name,
        srcs = [source],
        hdrs = [header],
        deps = ["@com_google_protobuf//:protobuf"],
        **kwargs
    )
