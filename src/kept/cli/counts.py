"""Numbers of things, as the command line says them. Pages have plurals of their own, in each language."""


def count(number: int, thing: str) -> str:
    return f"{number:,} {thing}" if number == 1 else f"{number:,} {thing}s"
