"""Nuke runs this file, with a user interface only, when it adds this folder to its plug-in path."""
import os

import nuke

# Since Nuke 14 the Cattery menu itself finds what lies in a folder of exactly this name, by its cat.json.
_IN_CATTERY = "Cattery" in os.path.abspath(__file__).split(os.sep)
# An older Nuke, also one with Python 2, which may search the same folders, cannot load the model.
_LOADS = (nuke.NUKE_VERSION_MAJOR, nuke.NUKE_VERSION_MINOR) >= (@nuke_numbers@)
if _LOADS and (not _IN_CATTERY or nuke.NUKE_VERSION_MAJOR < 14):
    nuke.menu("Nodes").addCommand(
        "Cattery/@category@/@display@", 'nuke.createNode("@model@")', icon="@model@.png")
