"""The release of Modelport, as pipeline/version.h has it."""

VERSION = "0.1.0"
