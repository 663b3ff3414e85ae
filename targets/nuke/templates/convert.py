"""Makes NAME.cat of each NAME.pt in packages like this one, in NukeX without a window:

    Nuke15.1 --nukex -t convert.py [FOLDER...]

Each FOLDER is a package or holds packages, at any depth; by default it is the folder of this file. A .cat that exists is left as it is, and a package for
a newer Nuke than this one is left to that. Beside each new one stands its checksum, NAME.cat.sha256, and SHA256SUMS in FOLDER lists those of all, for
sha256sum --check. The exit status is 1 if one could not be made.
"""
import hashlib
import json
import os
import sys

import nuke

_ENDING = "_CatFileCreator.nk"


def _scripts(folder):
    for place, _, files in sorted(os.walk(folder)):
        for name in sorted(files):
            if name.endswith(_ENDING):
                yield os.path.join(place, name)


def _sha256(path):
    digest = hashlib.sha256()
    with open(path, "rb") as file:
        for block in iter(lambda: file.read(1 << 20), b""):
            digest.update(block)
    return digest.hexdigest()


def _oldest_nuke(script):
    """Of those that load the package, as its cat.json says: (15, 1)."""
    with open(os.path.join(os.path.dirname(script), "cat.json")) as file:
        version = str(json.load(file)["minimum_nuke_version_required"])
    return tuple(int(number) for number in version.split("."))


def _write_list(folder, cats):
    lines = []
    for cat in cats:
        if os.path.isfile(cat + ".sha256"):
            with open(cat + ".sha256") as file:
                digest = file.read().split()[0]
        else:
            digest = _sha256(cat)
        lines.append(digest + "  " + os.path.relpath(cat, folder).replace("\\", "/") + "\n")
    path = os.path.join(folder, "SHA256SUMS")
    with open(path + ".new", "w") as file:
        file.write("".join(lines))
    os.replace(path + ".new", path)


def _convert(script, cat):
    nuke.scriptClear()
    nuke.scriptReadFile(script.replace("\\", "/"))
    creator = nuke.toNode("CatFileCreator1")
    # Read into another script, the node has no folder of its own.
    creator["torchScriptFile"].setValue((cat[:-len(".cat")] + ".pt").replace("\\", "/"))
    creator["catFile"].setValue(cat.replace("\\", "/"))
    creator["createCatFile"].execute()
    if not os.path.isfile(cat) or os.path.getsize(cat) == 0:
        raise RuntimeError("Nuke made no file: NukeX is needed, with a licence and the flag --nukex")


def main(folders):
    failed = 0
    scripts = [script for folder in folders for script in _scripts(os.path.abspath(folder))]
    if not scripts:
        print("no package in " + ", ".join(folders))
        return 1
    for script in scripts:
        cat = script[:-len(_ENDING)] + ".cat"
        if os.path.exists(cat):
            print(cat + ": exists")
            continue
        oldest = _oldest_nuke(script)
        if (nuke.NUKE_VERSION_MAJOR, nuke.NUKE_VERSION_MINOR) < oldest:
            print(cat + ": is for Nuke " + ".".join(map(str, oldest)) + " and newer: convert it there")
            continue
        try:
            _convert(script, cat)
            # Written with the file's name alone, so that it can be checked where both are copied to.
            with open(cat + ".sha256", "w") as file:
                file.write(_sha256(cat) + "  " + os.path.basename(cat) + "\n")
            print(cat + ": made")
        except Exception as error:  # Whatever Nuke throws, the other packages are still made.
            failed += 1
            for path in (cat, cat + ".sha256"):
                if os.path.exists(path):
                    os.remove(path)
            print(cat + ": failed: " + str(error))
    for folder in map(os.path.abspath, folders):
        cats = [script[:-len(_ENDING)] + ".cat" for script in _scripts(folder)]
        _write_list(folder, [cat for cat in cats if os.path.exists(cat)])
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:] or [os.path.dirname(os.path.abspath(__file__))]))
