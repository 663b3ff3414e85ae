"""Fuzz targets: programs that give bytes to a parser."""

load("//build_defs:cc.bzl", "cc_binary")

# With --config=fuzz, libFuzzer's main makes new inputs for so many seconds. Otherwise replay_main.cc runs the known ones.
_SECONDS = 30

def fuzz_target(name, deps, dictionary = None):
    """Defines NAME_fuzzer, the program of NAME_fuzzer.cc, and the test NAME.

    The test runs the program on the inputs in corpus/NAME.tar.zst and in regressions/NAME. With --config=fuzz libFuzzer then makes new inputs.

    Args:
      name: of the parser.
      deps: of NAME_fuzzer.cc.
      dictionary: a file of dictionaries/ with tokens for libFuzzer; none by default.
    """
    fuzzer = name + "_fuzzer"
    corpus = "corpus/{}.tar.zst".format(name)
    regressions = native.glob(["regressions/{}/*".format(name)], allow_empty = True)
    dictionaries = ["dictionaries/{}.dict".format(dictionary)] if dictionary else []
    cc_binary(
        name = fuzzer,
        testonly = True,
        srcs = [fuzzer + ".cc"],
        linkopts = select({
            ":fuzzing": ["-fsanitize=fuzzer"],
            "//conditions:default": [],
        }),
        deps = deps + [":fuzz_check"] + select({
            ":fuzzing": [],
            "//conditions:default": [":replay_main"],
        }),
    )
    native.sh_test(
        name = name,
        size = "small",
        timeout = "moderate",
        srcs = ["run_fuzzer.sh"],
        args = [
            name,
            "$(location {})".format(fuzzer),
        ] + select({
            ":fuzzing": [str(_SECONDS)],
            "//conditions:default": ["0"],
        }),
        data = [corpus, fuzzer, "options.sh"] + regressions + dictionaries,
    )
