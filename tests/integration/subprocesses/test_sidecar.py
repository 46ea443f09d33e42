"""The Readability sidecar itself: its outcomes, its limits, its end."""

import subprocess
from collections.abc import Iterator

import pytest

from kept.content.article.readable import NotReadable, Readable, ReadableCode
from kept.subprocesses.sidecar import BUNDLE, Sidecar
from support.fixtures.extraction import ARTICLE_HTML, PARAGRAPH, require_node


@pytest.fixture(scope="module")
def sidecar() -> Iterator[Sidecar]:
    sidecar = Sidecar(require_node(), BUNDLE)
    yield sidecar
    sidecar.stop()


def read(sidecar: Sidecar, html: str, seconds: float = 20) -> Readable | NotReadable:
    return sidecar.start(html, seconds)()


def body(markup: str) -> str:
    return f"<html><head></head><body>{markup}</body></html>"


def test_an_article_is_found_with_its_classes_and_addresses_as_they_were(sidecar: Sidecar) -> None:
    link = f'<p class="lead">{PARAGRAPH}<a href="/x">x</a></p>'
    found = read(sidecar, ARTICLE_HTML.replace("<article>", f"<article>{link}"))
    assert isinstance(found, Readable)
    assert found.title == "The bridge"
    assert 'href="/x"' in found.html


def test_a_page_without_an_article_is_not_readable(sidecar: Sidecar) -> None:
    nothing = read(sidecar, body(""))
    assert isinstance(nothing, NotReadable)
    assert (nothing.code, nothing.lost) == (ReadableCode.NOT_READABLE, False)


def test_a_page_that_takes_too_long_is_given_up_and_the_next_is_read(sidecar: Sidecar) -> None:
    late = read(sidecar, body('<a href="/x">link text</a> ' * 50_000), seconds=0.2)
    assert late == NotReadable(ReadableCode.TIMED_OUT, "Reading the page took too long.")
    assert isinstance(read(sidecar, ARTICLE_HTML), Readable)


@pytest.mark.requirement("002", "§9 fetch hardening")
@pytest.mark.parametrize(
    ("markup", "reason"),
    [
        ("<i></i>" * 200_001, "more than 200,000 elements"),
        ("<i>" * 2_500 + "</i>" * 2_500, "more than 2,000 deep"),
    ],
)
def test_a_page_beyond_the_limits_is_refused(sidecar: Sidecar, markup: str, reason: str) -> None:
    nothing = read(sidecar, body(markup))
    assert isinstance(nothing, NotReadable)
    assert reason in nothing.message


def test_a_first_paragraph_of_megabytes_is_not_repeated_in_the_answer(sidecar: Sidecar) -> None:
    found = read(sidecar, body(f"<p>{'word ' * 500_000}</p>"))
    assert isinstance(found, Readable)
    assert found.excerpt is not None
    assert len(found.excerpt) == 5_000


@pytest.mark.parametrize(
    ("title", "expected"),
    [
        ("The bridge that divides a valley – News", "The bridge that divides a valley"),
        ("Evolve: Shared Mutable History — a guide", "Evolve: Shared Mutable History — a guide"),
    ],
)
def test_a_site_name_after_a_long_dash_is_cut_off_a_title(sidecar: Sidecar, title: str, expected: str) -> None:
    found = read(sidecar, ARTICLE_HTML.replace("The bridge", title))
    assert isinstance(found, Readable)
    assert found.title == expected


def test_it_ends_when_its_input_ends() -> None:
    ended = subprocess.run([require_node(), BUNDLE], input=b"", capture_output=True, timeout=30, check=False)
    assert (ended.returncode, ended.stdout) == (0, b"")
