"""Edit distance by bits, compared with the table everybody knows."""

from hypothesis import given
from hypothesis import strategies as st

from kept.content.article.highlights.approximate_match import GramIndex, match_near


def smallest_distance(pattern: str, text: str) -> int:
    """From the pattern to any part of the text, by the table of all prefixes."""
    row = [0] * (len(text) + 1)
    for index, letter in enumerate(pattern, start=1):
        above, row = row, [index]
        for column, other in enumerate(text, start=1):
            row.append(min(above[column] + 1, row[-1] + 1, above[column - 1] + (letter != other)))
    return min(row)


@given(st.text("abc", min_size=1, max_size=12), st.text("abc", max_size=30))
def test_the_distance_is_that_of_the_table(pattern: str, text: str) -> None:
    match = match_near(pattern, text, 0, len(text))
    assert match.distance == smallest_distance(pattern, text)


@given(st.text("abc", min_size=1, max_size=12), st.text("abc", max_size=12), st.text("abc", max_size=12))
def test_what_is_there_is_found_where_it_is_expected(pattern: str, before: str, after: str) -> None:
    match = match_near(pattern, before + pattern + after, len(before), 40)
    assert match == (len(before), len(before) + len(pattern), 0)


def test_a_passage_is_expected_where_most_of_its_runs_are() -> None:
    text = "the quick brown fox jumps over the lazy dog and runs away into the dark wood behind the old mill"
    passage = "fox jumps over the lazy cat and runs away into the dark"
    assert GramIndex.of(text).estimate_starts(passage, 40)[0] == text.index("fox")
    assert GramIndex.of(text).estimate_starts("nothing of this is in the text", 40) == []
