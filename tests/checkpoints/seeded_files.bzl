"""Checkpoints with seeded weights, which are made of their lists of keys (write_seeded.cc)."""

def seeded_file(out, keys):
    """Makes the checkpoint `out` of the list `keys`."""
    native.genrule(
        name = out.replace("/", "_").replace(".", "_"),
        testonly = True,
        # The program is among the sources, so that it is built as all others are, and not once more for tools.
        srcs = [
            keys,
            "//tests/checkpoints:write_seeded",
        ],
        outs = [out],
        cmd = "$(location //tests/checkpoints:write_seeded) $(location %s) $@" % keys,
    )
