"""The release of Modelport, as common/manifest/version.h has it."""

VERSION = "0.1.0"
