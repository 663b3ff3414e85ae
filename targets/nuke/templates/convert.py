"""Makes NAME.cat of each NAME.pt in packages like this one, in NukeX without a window:

    Nuke@nuke_oldest@ --nukex -t convert.py [FOLDER...]

Where only an interactive licence is at hand, add -i before -t. Each FOLDER is a package or holds packages, at any depth; by default it is the folder of this
file. A .cat that exists is left as it is. An older Nuke than this one does not read what this one makes: of a model's packages for several Nukes this one
makes that of the newest Nuke that is not newer than itself, and leaves the others to theirs. Beside each new .cat stands its checksum, NAME.cat.sha256, and SHA256SUMS in FOLDER lists those of all, for
sha256sum --check. The exit status is 1 if one could not be made.
"""
import hashlib
import os
import re
import sys

import nuke

_ENDING = "_CatFileCreator.nk"
_NEEDED = "NukeX is needed, with a licence and the flag --nukex, and with -i where the licence is an interactive one"


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
    """Of those that load the package, as its gizmo says: (15, 1)."""
    gizmo = script[:-len(_ENDING)] + ".gizmo"
    with open(gizmo) as file:
        version = re.search(r"nuke_version >= ([0-9]+)[.]([0-9]+)", file.read())
    if version is None:
        raise RuntimeError(gizmo + " does not say for which Nuke it is: make the package again")
    return tuple(map(int, version.groups()))


def _model(script):
    """What the packages of a model for several Nukes have in common: the name without what --nuke adds."""
    return re.sub(r"_nuke[0-9]+(_[0-9]+)*$", "", os.path.basename(script)[:-len(_ENDING)])


def _nukes_of_models(scripts):
    """Of each model, the oldest Nukes of its packages."""
    nukes = {}
    for script in scripts:
        try:
            nukes.setdefault(_model(script), set()).add(_oldest_nuke(script))
        except (OSError, RuntimeError):
            pass  # It is said where the package is converted.
    return nukes


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
    if creator is None:
        raise RuntimeError("Nuke made no CatFileCreator: " + _NEEDED)
    # Read into another script, the node has no folder of its own. The file gets its name when it is whole.
    new = cat[:-len(".cat")] + ".new.cat"
    creator["torchScriptFile"].setValue((cat[:-len(".cat")] + ".pt").replace("\\", "/"))
    creator["catFile"].setValue(new.replace("\\", "/"))
    try:
        creator["createCatFile"].execute()
        if not os.path.isfile(new) or os.path.getsize(new) == 0:
            raise RuntimeError("Nuke made no file: " + _NEEDED)
        # Written with the file's name alone, so that it can be checked where both are copied to.
        with open(cat + ".sha256", "w") as file:
            file.write(_sha256(new) + "  " + os.path.basename(cat) + "\n")
        os.replace(new, cat)
    finally:
        if os.path.exists(new):
            os.remove(new)


def main(folders):
    failed = 0
    scripts = [script for folder in folders for script in _scripts(os.path.abspath(folder))]
    if not scripts:
        print("no package in " + ", ".join(folders))
        return 1
    this = (nuke.NUKE_VERSION_MAJOR, nuke.NUKE_VERSION_MINOR)
    nukes = _nukes_of_models(scripts)
    for script in scripts:
        cat = script[:-len(_ENDING)] + ".cat"
        if os.path.exists(cat):
            print(cat + ": exists")
            continue
        try:
            oldest = _oldest_nuke(script)
            if this < oldest:
                print("%s: is for Nuke %d.%d and newer: convert it there" % ((cat,) + oldest))
                continue
            if any(oldest < other <= this for other in nukes[_model(script)]):
                print("%s: is for Nuke %d.%d, and this Nuke loads another package of the model: convert it there" % ((cat,) + oldest))
                continue
            _convert(script, cat)
            print("%s: made, for Nuke %d.%d and newer" % ((cat,) + this))
        except Exception as error:  # Whatever Nuke throws, the other packages are still made.
            failed += 1
            print(cat + ": failed: " + str(error))
    for folder in map(os.path.abspath, folders):
        cats = [script[:-len(_ENDING)] + ".cat" for script in _scripts(folder)]
        _write_list(folder, [cat for cat in cats if os.path.exists(cat)])
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:] or [os.path.dirname(os.path.abspath(__file__))]))
