"""The plugins among the files of a release."""

load("//models:plugins.bzl", "HOSTS", "PLUGINS")

def with_plugins(root, files):
    """`files` and those of every plugin, each with its folder in the release.

    Args:
      root: the folder in which the program finds models/ and targets/.
      files: a dictionary from labels to folders.
    """
    folders = ["models/" + plugin for plugin in PLUGINS] + ["targets/" + host for host in HOSTS]
    all_files = {"//{}:plugin".format(folder): "{}/{}".format(root, folder) for folder in folders}
    all_files.update(files)
    return all_files
