"""The one place that names this version."""

__version__ = "0.1.0"
