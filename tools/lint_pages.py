"""Every text of the pages is marked, and translated into every language: nothing missing, stale, unsure or mangled.

Where a text is missing, `tools/messages.py` adds it to the catalogues; then it is translated there.
"""

from collections.abc import Iterator

import messages

from kept.domain.failures import FailureCode
from kept.domain.preferences import LanguageChoice
from kept.fetch.outcome import MESSAGES
from kept.urls.given import REJECTIONS
from kept.web.assets import FOLDER
from kept.web.i18n import ENGLISH, LANGUAGES, LOCALES, _, writing_in
from kept.web.messages import ADVICE, REASONS, list_sentences, tell
from kept.web.rendering import environment
from support.fixtures.unmarked import find_in_module, find_in_script, find_in_template

OTHERS = [tag for tag in LANGUAGES if tag != ENGLISH.tag]
WEB = LOCALES.parent
# The reference of the API is in English, as the API is.
IN_ENGLISH = frozenset({"api_docs.py"})


def find_faults() -> Iterator[str]:
    template = messages.make_template()
    ids = [message.id for message in template if message.id]
    yield from find_unmarked({str(text) for one in ids for text in (one if isinstance(one, tuple) else (one,))})
    for tag in OTHERS:
        faults = [*messages.check(LOCALES / tag.replace("-", "_"), template), *find_untranslated(tag)]
        yield from (f"web/locales, {tag}: {fault}" for fault in faults)
    yield from (f"{place}: a value in an error's message has no name" for place in messages.find_formatted())
    if [choice.value for choice in LanguageChoice] != ["browser", *LANGUAGES]:
        yield "domain/preferences.py: not every language can be chosen"


def find_unmarked(marked: set[str]) -> Iterator[str]:
    for name in environment.list_templates():
        yield from name_unmarked(f"templates/{name}", find_in_template((WEB / "templates" / name).read_text()))
    for path in sorted(FOLDER.glob("*.js")):
        yield from name_unmarked(f"static/{path.name}", find_in_script(path.read_text(), marked))
    for path in sorted(WEB.glob("*.py")):
        if path.name not in IN_ENGLISH:
            yield from name_unmarked(path.name, find_in_module(path.read_text(), marked))


def name_unmarked(place: str, texts: list[str]) -> Iterator[str]:
    yield from (f"web/{place}: not marked for translation: {text!r}" for text in texts)


def find_untranslated(tag: str) -> Iterator[str]:
    """Messages from below the pages, and what the stylesheet says."""
    below = [*MESSAGES.values(), *REJECTIONS.values(), *list_sentences()]
    texts = [*(ADVICE[code] for code in FailureCode), *(REASONS[code] for code in FailureCode)]
    with writing_in(LANGUAGES[tag]):
        yield from (f"not translated: {text!r}" for text in below if tell(text) == text)
        yield from (f"not translated: {text!r}" for text in texts if _(text) == text and text != "E-books")
    if f":root:lang({tag.split('-')[0]}) {{ --says-highlight: " not in (FOLDER / "reading.css").read_text():
        yield "static/reading.css does not say where a highlight begins"
