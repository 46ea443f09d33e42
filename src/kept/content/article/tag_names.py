"""A way to write down a set of tag names so that it can be read. For the tables of this package."""


def tags(names: str) -> frozenset[str]:
    """The names in a text, which white space separates."""
    return frozenset(names.split())
