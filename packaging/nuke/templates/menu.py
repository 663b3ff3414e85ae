"""Nuke runs this file, with a user interface only, when it adds this folder to its plug-in path."""
import nuke

# In a folder "Cattery" of the plug-in path Nuke makes the same entry from cat.json.
_ENTRY = "Cattery/@category@/@model@"
_NODES = nuke.menu("Nodes")
if _NODES.findItem(_ENTRY) is None:
    _NODES.addCommand(_ENTRY, 'nuke.createNode("@model@")', icon="@model@.png")
