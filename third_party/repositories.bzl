"""Every external dependency of Modelport, declared once. Targets are named as upstream's Bazel builds name them, so that
a move to a module registry changes this folder alone."""

load("//third_party:abseil.bzl", "debian_abseil")
load("//third_party:debian.bzl", "debian_library", "debian_rules_cc")
load("//third_party:goldens.bzl", "goldens")
load("//third_party:libtorch.bzl", "libtorch")
load("//third_party:no_coverage.bzl", "no_coverage")
load("//third_party:old_libtorch.bzl", "old_libtorchs")
load("//third_party:openvino.bzl", "openvino")
load("//third_party:portable_libraries.bzl", "portable_libraries")

def modelport_repositories():
    # Bazel's embedded tools ask for these three; Debian packages the first two.
    debian_rules_cc(name = "rules_cc")
    native.local_repository(name = "rules_java", path = "/usr/share/bazel/rules/java")
    no_coverage(name = "remote_coverage_tools")

    native.new_local_repository(
        name = "dpkg",
        path = "/var/lib/dpkg",
        build_file_content = "exports_files([\"status\"])",
    )
    debian_abseil(name = "com_google_absl")
    debian_library(
        name = "com_google_googletest",
        packages = ["libgtest-dev", "libgmock-dev"],
        build_file = Label("//third_party:googletest.BUILD"),
    )
    debian_library(
        name = "com_google_protobuf",
        packages = ["libprotobuf-dev", "protobuf-compiler"],
        build_file = Label("//third_party:protobuf.BUILD"),
    )
    debian_library(
        name = "yaml_cpp",
        packages = ["libyaml-cpp-dev"],
        build_file = Label("//third_party:yaml_cpp.BUILD"),
    )
    debian_library(
        name = "nlohmann_json",
        packages = ["nlohmann-json3-dev"],
        build_file = Label("//third_party:nlohmann_json.BUILD"),
    )
    debian_library(
        name = "libdeflate",
        packages = ["libdeflate-dev"],
        build_file = Label("//third_party:libdeflate.BUILD"),
    )
    debian_library(
        name = "libseccomp",
        packages = ["libseccomp-dev"],
        build_file = Label("//third_party:libseccomp.BUILD"),
    )
    debian_library(
        name = "openssl",
        packages = ["libssl-dev"],
        build_file = Label("//third_party:openssl.BUILD"),
    )
    debian_library(
        name = "mbedtls",
        packages = ["libmbedtls-dev"],
        build_file = Label("//third_party:mbedtls.BUILD"),
    )
    debian_library(
        name = "libexif",
        packages = ["libexif-dev"],
        build_file = Label("//third_party:libexif.BUILD"),
    )
    debian_library(
        name = "libjpeg",
        packages = ["libjpeg62-turbo-dev"],
        build_file = Label("//third_party:libjpeg.BUILD"),
    )
    debian_library(
        name = "libpng",
        packages = ["libpng-dev"],
        build_file = Label("//third_party:libpng.BUILD"),
    )
    debian_library(
        name = "libtiff",
        packages = ["libtiff-dev"],
        build_file = Label("//third_party:libtiff.BUILD"),
    )
    debian_library(
        name = "openexr",
        packages = ["libopenexr-dev", "libimath-dev"],
        build_file = Label("//third_party:openexr.BUILD"),
        headers = {"Imath": "/usr/include/Imath"},
    )
    goldens(name = "goldens")
    openvino(name = "openvino")
    libtorch(name = "libtorch")
    old_libtorchs()
    portable_libraries(name = "portable_libraries")
