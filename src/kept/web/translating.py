"""The functions that mark the texts of the pages and translate them into the language of the page being rendered.

In Python, `_` and its kin return plain text. In a template they return markup, in which the values are escaped; what is
translated is ours and is not. Texts have `%(name)s` for a value; whole numbers are written as the language writes them.
"""

from collections.abc import Mapping
from functools import lru_cache, reduce

from babel.numbers import format_decimal
from markupsafe import Markup, escape

from kept.web.catalogue import Catalogue, read_catalogue
from kept.web.languages import current_language


def catalogue() -> Catalogue:
    return read_catalogue(current_language().tag)


def N_(text: str) -> str:  # noqa: N802 (as gettext calls it)
    """Marks a text that is translated where it is shown."""
    return text


def NN_(one: str, many: str) -> tuple[str, str]:  # noqa: N802
    """Marks a text that depends on a number."""
    return one, many


def _(text: str, /, **values: object) -> str:
    return fill_in(catalogue().find(text), values)


def pgettext(context: str, text: str, /, **values: object) -> str:
    """For a text that means different things in different places: `context` says which."""
    return fill_in(catalogue().find(text, context), values)


def ngettext(one: str, many: str, number: int, /, **values: object) -> str:
    return fill_in(catalogue().find_plural(one, many, number), {"num": number, **values})


def join_sentences(*sentences: str) -> str:
    """Those that are not empty, one after the other: with a space between them, where the language has one there."""
    said = [sentence for sentence in sentences if sentence]
    return reduce(join_two, said) if said else ""


def join_two(first: str, second: str) -> str:
    return pgettext("two sentences", "%(first)s %(second)s", first=first, second=second)


def translate_message(text: str) -> str:
    """What comes from below the pages in English: the message of an error, the reason of a failure."""
    return catalogue().find_message(text)


def fill_in(text: str, values: Mapping[str, object]) -> str:
    return text % write_numbers(values) if values else text


def write_numbers(values: Mapping[str, object]) -> dict[str, object]:
    return {name: format_number(value) if type(value) is int else value for name, value in values.items()}


def format_number(number: int) -> str:
    return str(number) if -1000 < number < 1000 else str(format_decimal(number, locale=current_language().locale))


# --- the same for templates; a list calls them hundreds of times ------------------------------------------------------


def gettext_markup(text: str, /, **values: object) -> Markup:
    return fill_in_markup(catalogue().find(text), values) if values else find_markup(current_language().tag, text, None)


def pgettext_markup(context: str, text: str, /, **values: object) -> Markup:
    if not values:
        return find_markup(current_language().tag, text, context)
    return fill_in_markup(catalogue().find(text, context), values)


def ngettext_markup(one: str, many: str, number: int, /, **values: object) -> Markup:
    return fill_in_markup(catalogue().find_plural(one, many, number), {"num": number, **values})


def fill_in_markup(text: str, values: Mapping[str, object]) -> Markup:
    return Markup(text % {name: escape(value) for name, value in write_numbers(values).items()})  # noqa: S704 (ours)


@lru_cache(maxsize=4096)
def find_markup(tag: str, text: str, context: str | None) -> Markup:
    """Without values. `%%` is how a template spells a percent sign."""
    return Markup(read_catalogue(tag).find(text, context).replace("%%", "%"))  # noqa: S704 (ours)


TEMPLATE_FUNCTIONS = {
    "_": gettext_markup,
    "gettext": gettext_markup,
    "pgettext": pgettext_markup,
    "ngettext": ngettext_markup,
}
