"""In which direction a language is written."""

from typing import Final

# Languages written from right to left.
RIGHT_TO_LEFT: Final = frozenset(
    {"ar", "arc", "arz", "azb", "ckb", "dv", "fa", "he", "iw", "ji", "ks", "lrc", "mzn", "nqo", "pnb", "prs", "ps"}
    | {"sd", "ug", "ur", "yi"}
)
RIGHT_TO_LEFT_SCRIPTS: Final = frozenset({"arab", "hebr", "syrc", "thaa", "nkoo", "adlm", "rohg"})


def direction_of(lang: str | None) -> str:
    """`auto` where the language is unknown: the browser then goes by the first letter."""
    if not lang:
        return "auto"
    language, *rest = lang.lower().replace("_", "-").split("-")
    script = next((part for part in rest if len(part) == 4), None)
    if script is not None:
        return "rtl" if script in RIGHT_TO_LEFT_SCRIPTS else "ltr"
    return "rtl" if language in RIGHT_TO_LEFT else "ltr"
