"""Nuke runs this file when it adds this folder to its plug-in path."""
import nuke

# Nuke 13 may run out of memory on a gizmo with an Inference node unless the node's plug-in is loaded before.
if nuke.NUKE_VERSION_MAJOR == 13:
    nuke.load("Inference")
