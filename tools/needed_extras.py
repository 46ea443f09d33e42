"""Prints the extras of the package that the settings need and that are not installed, for ./run."""

from kept.config import Settings, find_missing_extras

print(",".join(find_missing_extras(Settings())))
