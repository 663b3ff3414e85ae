"""Stands for Nuke's module in the scripts of a package: says on stdout what they ask Nuke to do.

STUB_NUKE is the version, such as 15.1; STUB_MAC=1 says that it runs on a Mac, STUB_NO_GPU=1 that Inference takes no GPU, and STUB_NO_MODEL=1 no file. Converting takes seconds in Nuke; here the .cat gets the words "cat of" and the name of the .pt, or, where
the name of the .pt has STUB_BREAKS in it, only the beginning before the conversion fails.
"""
import os

NUKE_VERSION_MAJOR, NUKE_VERSION_MINOR = (int(part) for part in os.environ["STUB_NUKE"].split("."))
env = {"MACOS": os.environ.get("STUB_MAC") == "1"}


def load(name):
    print("load " + name)


def pluginAddPath(path):
    assert os.path.isdir(path)
    print("path " + path)


class _Menu:
    def addCommand(self, name, command, icon):
        print("menu " + name + " | " + command + " | " + icon)


def menu(name):
    assert name == "Nodes"
    return _Menu()


class _Knob:
    def __init__(self, text=""):
        self.text = text

    def setValue(self, text):
        self.text = text


class _NodeKnob:
    def __init__(self, name):
        self.name = name

    def value(self):
        return {"gpuName": "a GPU", "useGPUIfAvailable": False}[self.name]

    def enabled(self):
        return os.environ.get("STUB_NO_MODEL" if self.name == "modelFile" else "STUB_NO_GPU") != "1"

    def setValue(self, value):
        print("value " + self.name + " | " + str(value))

    def setEnabled(self, is_enabled):
        print("enabled " + self.name + " | " + str(is_enabled))

    def setExpression(self, text):
        print("knob " + self.name + " | " + text)


class _ThisNode:
    def __getitem__(self, name):
        return _NodeKnob(name)

    def knob(self, name):
        return self[name]

    def knobs(self):
        return {"speed": self["speed"]}

    def parent(self):
        return _ThisNode()


def thisNode():
    return _ThisNode()


class _CreateCatFile:
    def __init__(self, node):
        self.node = node

    def execute(self):
        source, target = self.node["torchScriptFile"].text, self.node["catFile"].text
        breaks = os.environ.get("STUB_BREAKS")
        with open(target, "w") as file:
            if breaks and breaks in os.path.basename(source):
                file.write("cat")
                file.flush()
                raise RuntimeError("cannot read " + os.path.basename(source))
            assert os.path.getsize(source) > 0
            file.write("cat of " + os.path.basename(source))


_nodes = {}


def scriptClear():
    _nodes.clear()


def scriptReadFile(path):
    assert "CatFileCreator {" in open(path).read()
    node = {"torchScriptFile": _Knob(), "catFile": _Knob()}
    node["createCatFile"] = _CreateCatFile(node)
    _nodes["CatFileCreator1"] = node


def toNode(name):
    return _nodes[name]
