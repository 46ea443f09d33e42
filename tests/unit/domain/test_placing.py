"""The rules of where a link goes, each by its name."""

import pytest

from kept.domain.failures import FailureCode
from kept.domain.item import UserFields
from kept.domain.lifecycle import ProcessingStatus
from kept.domain.placing import Brought, KnownPage, Place, Placement, WantedLink, add_to, place
from kept.ids import new_media_id
from support.builders.values import make_item, minutes

ITEM = make_item()
CONTENT = WantedLink(Brought.CONTENT)
COPY = WantedLink(Brought.COPY)
FILE = WantedLink(Brought.FILE)
READY, FAILED, EXTRACTING = ProcessingStatus.READY_FOR_READING, ProcessingStatus.FAILED, ProcessingStatus.EXTRACTING


def known(status: ProcessingStatus = READY, **facts: object) -> KnownPage:
    return KnownPage(ITEM.media_id, status, **facts)  # type: ignore[arg-type]


def held(status: ProcessingStatus = READY, **facts: object) -> KnownPage:
    return known(status, held=ITEM, **facts)


def test_a_new_url_becomes_a_page_that_is_fetched() -> None:
    assert place(None, WantedLink()) == Placement(Place.NEW_PAGE, is_ingested=True)


def test_what_is_no_web_page_is_never_fetched() -> None:
    assert not place(None, WantedLink(is_web=False)).is_ingested
    assert not place(known(FAILED), WantedLink(is_web=False)).is_ingested


@pytest.mark.parametrize("status", [READY, ProcessingStatus.PENDING, ProcessingStatus.BLOCKED])
def test_a_known_url_needs_no_fetch(status: ProcessingStatus) -> None:
    assert place(known(status), WantedLink()) == Placement(Place.KNOWN_PAGE, is_ingested=False)


def test_a_page_that_the_library_holds_gets_no_second_item() -> None:
    assert place(held(), WantedLink()) == Placement(Place.PRESENT_ITEM, is_ingested=False)


@pytest.mark.parametrize("status", [FAILED, ProcessingStatus.CARD_ONLY])
def test_a_new_item_gives_a_failed_page_a_fresh_attempt_and_an_existing_one_does_not(status: ProcessingStatus) -> None:
    assert place(known(status), WantedLink()).is_ingested
    assert not place(held(status), WantedLink()).is_ingested


def test_a_failed_page_that_may_be_a_document_gets_a_fresh_attempt_where_documents_are_welcome() -> None:
    page = held(FAILED, failure_code=FailureCode.FETCH_KIND_MISMATCH_PDF)
    assert place(page, WantedLink()).is_ingested
    assert not place(page, WantedLink(accepts_documents=False)).is_ingested


@pytest.mark.parametrize(("status", "is_ingested"), [(FAILED, True), (EXTRACTING, True), (READY, False)])
def test_a_page_of_which_only_an_article_was_wanted_accepts_documents_from_then_on(
    status: ProcessingStatus, is_ingested: bool
) -> None:
    page = held(status, accepts_documents=False)
    assert place(page, WantedLink()) == Placement(Place.PRESENT_ITEM, is_ingested, accepts_documents_now=True)
    assert place(page, WantedLink(accepts_documents=False)) == Placement(Place.PRESENT_ITEM, is_ingested=False)


@pytest.mark.parametrize("wanted", [CONTENT, COPY, FILE])
@pytest.mark.parametrize("page", [None, known()])
def test_content_that_came_with_a_link_makes_a_private_page(wanted: WantedLink, page: KnownPage | None) -> None:
    assert place(page, wanted) == Placement(Place.NEW_PRIVATE_PAGE, is_ingested=True)


def test_a_library_comes_back_to_its_own_private_page() -> None:
    assert place(known(is_private=True), CONTENT).place is Place.KNOWN_PAGE


def test_content_stands_in_for_a_page_that_failed_and_for_no_other() -> None:
    assert place(held(FAILED), CONTENT) == Placement(Place.STAND_IN, is_ingested=True)
    assert place(held(), CONTENT).place is Place.PRESENT_ITEM
    assert place(held(FAILED, is_private=True), CONTENT).place is Place.PRESENT_ITEM


def test_content_does_not_stand_in_for_the_older_copy_that_the_library_holds() -> None:
    page = KnownPage(new_media_id(), FAILED, held=ITEM)
    assert place(page, CONTENT).place is Place.PRESENT_ITEM


def test_a_file_is_shown_unless_it_is_shown_already() -> None:
    assert place(held(), FILE) == Placement(Place.SHOWN_COPY, is_ingested=True)
    assert place(held(is_same_file=True), FILE).place is Place.PRESENT_ITEM


def test_an_older_copy_stands_beside_the_newer_one_of_its_file_only() -> None:
    assert place(held(is_newer_copy=True), COPY) == Placement(Place.OLDER_COPY, is_ingested=True)
    assert place(held(), COPY).place is Place.PRESENT_ITEM


def test_what_an_item_says_is_added_to_and_never_overwritten() -> None:
    item = make_item(title="mine", note="first")
    added, tags = add_to(item, ["a"], UserFields("theirs", "excerpt", "second", ("a", "b")), minutes(1))
    assert (added.title, added.excerpt, added.note) == ("mine", "excerpt", "first\n\nsecond")
    assert (tags, added.updated_at) == (("b",), minutes(1))


def test_saying_the_same_again_changes_nothing() -> None:
    item = make_item(title="mine", note="first")
    assert add_to(item, ["a"], UserFields("theirs", None, "first", ("a",)), minutes(1)) == (item, ())
