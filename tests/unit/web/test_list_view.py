from uuid import UUID

import pytest

from kept.web.list_view import ListView, Sort, View, find_list, parse_list_url, parse_list_view

LIBRARY = UUID("0198c0de-0000-7000-8000-000000000001")


@pytest.mark.parametrize(
    "list_view",
    [
        ListView(),
        ListView(View.UNREAD, LIBRARY, "two words", "a & b", Sort.OLDEST),
        ListView(View.FAILED, text="100%", sort=Sort.NEWEST),
    ],
)
def test_a_list_view_survives_its_url(list_view: ListView) -> None:
    assert parse_list_url(list_view.url()) == list_view


def test_unknown_values_in_a_url_are_ignored() -> None:
    assert parse_list_view(view="nonsense", library="not-an-id", sort="sideways", q="  \x00 ") == ListView()


def test_a_tag_is_looked_up_in_its_stored_form() -> None:
    assert parse_list_view(tag="  Two   Words ").tag == "two words"


def test_a_search_includes_archived_items_unless_a_view_is_chosen() -> None:
    assert ListView(text="moss").filter.is_archived is None
    assert ListView(View.UNREAD, text="moss").filter.is_archived is False
    assert ListView().filter.is_archived is False


def test_the_order_goes_round_and_a_search_begins_with_the_best() -> None:
    lists = [ListView(), ListView(text="moss")]
    rounds = []
    for list_view in lists:
        labels = []
        for _ in range(3):
            labels.append(list_view.sort_label)
            list_view = parse_list_url(list_view.url(sort=list_view.next_sort))
        rounds.append(labels)
    assert rounds == [
        ["Newest first", "Oldest first", "Newest first"],
        ["Best match first", "Newest first", "Oldest first"],
    ]


@pytest.mark.parametrize("url", ["", "/history/1", "/read/1?list=/", "//evil.example/?q=a"])
def test_a_url_of_another_page_is_no_list(url: str) -> None:
    assert find_list(url) is None
