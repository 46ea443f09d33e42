"""Which language a page is in, and how that language writes numbers, dates, plurals and sentences."""

from datetime import UTC, datetime, timedelta

import pytest

from kept.domain.errors import InvalidRequest, KeptError
from kept.domain.item import BulkResult, parse_tag
from kept.domain.message import Message
from kept.web.i18n import (
    LANGUAGES,
    MAX_HEADER,
    choose_language,
    format_number,
    join_sentences,
    ngettext,
    writing_in,
)
from kept.web.messages import tell, tell_problem
from kept.web.notices import make_result_notice
from kept.web.rendering import environment
from kept.web.text import format_age, format_date, format_duration, format_exact, format_list, format_share

NOW = datetime(2026, 11, 15, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    ("preferred", "accepted", "tag"),
    [
        ("browser", "", "en"),
        ("browser", "de-AT,de;q=0.9,en;q=0.8", "de"),
        ("browser", "en;q=0.5, fr;q=0.9", "fr"),
        ("browser", "pt-BR, es-419;q=.5", "es"),
        ("browser", "zh-CN", "zh-Hans"),
        ("browser", "zh-Hans-SG", "zh-Hans"),
        ("browser", "zh", "zh-Hans"),
        ("browser", "zh-TW", "en"),
        ("browser", "zh-TW,zh;q=0.9", "zh-Hans"),
        ("browser", "zh-Hant-HK,de;q=0.1", "de"),
        ("browser", "fr;q=0, de;q=0.1", "de"),
        ("browser", "fr;q=nan, de;q=0.1", "de"),
        ("browser", "*", "en"),
        ("browser", "xx," * 1000 + "de", "en"),
        ("fr", "de", "fr"),
        ("gone", "de", "de"),
    ],
)
def test_the_language_is_the_persons_choice_or_what_the_browser_asks_for(
    preferred: str, accepted: str, tag: str
) -> None:
    assert choose_language(preferred, accepted).tag == tag


def test_no_more_of_the_header_is_read_than_a_browser_sends() -> None:
    assert choose_language("", f"{' ' * MAX_HEADER}de").tag == "en"


@pytest.mark.parametrize(
    ("tag", "texts"),
    [
        ("en", ["15 November 2026", "3 hours ago", "5 Nov 2026", "1,234", "46%", "2.1 s", "a, b and c"]),
        ("de", ["15. November 2026", "vor 3 Stunden", "05.11.2026", "1.234", "46\xa0%", "2,1 s", "a, b und c"]),
        ("fr", ["15 novembre 2026", "il y a 3 heures", "5 nov. 2026", "1\u202f234", "46\xa0%", "2,1 s", "a, b et c"]),
        ("es", ["15 de noviembre de 2026", "hace 3 horas", "5 nov 2026", "1.234", "46\xa0%", "2,1 s", "a, b y c"]),
        ("zh-Hans", ["2026年11月15日", "3小时前", "2026年11月5日", "1,234", "46%", "2.1 s", "a、b和c"]),
    ],
)
def test_dates_numbers_and_lists_are_written_as_the_language_writes_them(tag: str, texts: list[str]) -> None:
    with writing_in(LANGUAGES[tag]):
        dates = [format_date(NOW), format_age(NOW - timedelta(hours=3), NOW), format_age(NOW - timedelta(days=10), NOW)]
        assert [
            *dates,
            format_number(1234),
            format_share(0.456),
            format_duration(2140),
            format_list(["a", "b", "c"]),
        ] == texts
        assert format_exact(NOW).endswith(", 12:00:00 UTC")


@pytest.mark.parametrize(
    ("tag", "none", "one", "many"),
    [
        ("de", "0 Zeilen", "1 Zeile", "1.234 Zeilen"),
        ("fr", "0 ligne", "1 ligne", "1\u202f234 lignes"),
        ("es", "0 filas", "1 fila", "1.234 filas"),
        ("zh-Hans", "0 行", "1 行", "1,234 行"),
    ],
)
def test_a_number_takes_the_plural_of_the_language(tag: str, none: str, one: str, many: str) -> None:
    with writing_in(LANGUAGES[tag]):
        assert [ngettext("%(num)s row", "%(num)s rows", number) for number in (0, 1, 1234)] == [none, one, many]


def test_sentences_follow_each_other_as_the_language_has_them() -> None:
    notice = make_result_notice("archive", BulkResult((), 1, 2))
    assert notice is not None
    with writing_in(LANGUAGES["zh-Hans"]):
        assert notice.text == "1 个页面：此前已归档。2 个页面：无法更改，已不存在或你无权更改。"
    with writing_in(LANGUAGES["de"]):
        assert join_sentences("", "Eins.", "", "Zwei.") == "Eins. Zwei."
    assert notice.text.startswith("1 page: archived already. 2 pages:")


def test_an_error_is_told_with_its_values_in_the_language_of_the_page() -> None:
    with pytest.raises(InvalidRequest) as caught:
        parse_tag("t" * 65)
    too_long = InvalidRequest("%(what)s has at most %(longest)s characters.", what="A title", longest=500)
    assert caught.value.message == "A tag is 1 to 64 printable characters."
    assert too_long.message == str(too_long) == "A title has at most 500 characters."
    with writing_in(LANGUAGES["de"]):
        assert tell(caught.value.told).startswith("Ein Schlagwort besteht aus 1 bis 64")
        assert tell(too_long.told) == "Ein Titel hat höchstens 500 Zeichen."
        assert tell(KeptError().told) == "Etwas ist schiefgegangen."


def test_a_sentence_that_was_stored_is_translated() -> None:
    with writing_in(LANGUAGES["de"]):
        assert tell("The site answered with an error (503).").startswith("Die Website hat mit einem Fehler geantwortet")
        assert tell("There is no URL.") == "Es wurde keine URL angegeben."
        assert tell("Nobody ever said this.") == "Nobody ever said this."
        assert tell("") == ""
    assert tell("There is no URL.") == "There is no URL."


def test_a_problem_of_an_import_is_translated_with_its_values() -> None:
    told = Message("%(name)s in the zip file is damaged.", {"name": "100%.csv"})
    problem = {"reason": str(told), "count": 1, "example": None, "text": told.text, "values": told.values}
    with writing_in(LANGUAGES["de"]):
        assert tell_problem(problem) == "100%.csv in der ZIP-Datei ist beschädigt."
        assert tell_problem({"reason": "This line of the file is damaged.", "count": 1}).startswith("Diese Zeile")
    assert tell_problem(problem) == problem["reason"]


def test_a_value_may_have_any_name() -> None:
    """Also one that a parameter of the function has."""
    template = environment.from_string(
        '{{ _("%(text)s", text=1) }}{{ ngettext("%(number)s", "", 1, number=2, one=3) }}'
    )
    assert template.render() == "12"


def test_a_number_in_a_template_is_written_as_the_language_writes_it() -> None:
    template = environment.from_string(
        '{{ ngettext("%(num)s row", "%(num)s rows", rows) }}, {{ _("%(text)s", text=rows) }}'
    )
    with writing_in(LANGUAGES["de"]):
        assert template.render(rows=1234) == "1.234 Zeilen, 1.234"


def test_values_in_a_template_are_escaped_and_translations_are_not() -> None:
    template = environment.from_string(
        '{{ _("added by %(name)s", name="<b>") }}{% trans %}or <code>x</code>{% endtrans %}'
    )
    assert template.render() == "added by &lt;b&gt;or <code>x</code>"
