"""Packages of this repository and of others, as "@REPOSITORY//FOLDER"; "@//FOLDER" is one of the repository in which Bazel runs."""

def this_package():
    """The package whose BUILD file is being read."""
    return "{}//{}".format(native.repository_name(), native.package_name())

def runfiles_path(package):
    """The folder of a package among the data of a test.

    Args:
      package: "@REPOSITORY//FOLDER".
    """
    repository, folder = package[1:].split("//")
    return "../{}/{}".format(repository, folder) if repository else folder
