"""C++ classes of protocol buffer messages, by Debian's protoc."""

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
    native.genrule(
        name = name + "_protoc",
        # The versions header stands for protoc itself, which Bazel cannot see.
        srcs = [src, "@com_google_protobuf//:versions.h"],
        outs = [header, source],
        cmd = "protoc --proto_path=. --cpp_out=$(GENDIR) $(location {})".format(src),
    )
    cc_library(
        name = name,
        srcs = [source],
        hdrs = [header],
        deps = ["@com_google_protobuf//:protobuf"],
        **kwargs
    )
