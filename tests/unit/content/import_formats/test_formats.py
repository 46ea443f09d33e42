"""Each tool's file, with its exact columns and its oddities, becomes what it says."""

import json
from datetime import UTC, datetime

import pytest

from kept.content.import_formats.registry import BY_NAME, Unrecognised, find_reader
from kept.content.import_formats.uploaded_file import UploadedFile
from kept.domain.highlight import Colour
from kept.domain.imported import ImportedEntry, ImportedHighlight, ImportedLink, ImportedPage, Rejected, user_fields_of
from support.builders import uploaded_files as files

pytestmark = pytest.mark.requirement("Kept", "imports bring highlights, also before their article exists")


def read(data: bytes | str) -> list[ImportedEntry]:
    file = UploadedFile.of(data.encode() if isinstance(data, str) else data)
    reader = find_reader(file)
    assert not isinstance(reader, Unrecognised), reader
    return list(reader.read(file))


def links(data: bytes | str) -> list[ImportedLink]:
    return [entry for entry in read(data) if isinstance(entry, ImportedLink)]


def at(*parts: int) -> datetime:
    return datetime(*parts, tzinfo=UTC)  # type: ignore[arg-type,misc]


@pytest.mark.parametrize("example", files.EXAMPLES)
def test_a_file_is_known_by_what_is_in_it(example: str) -> None:
    name, data = files.EXAMPLES[example]
    reader = find_reader(UploadedFile.of(data, "download.bin"))
    assert not isinstance(reader, Unrecognised)
    assert reader.name == name


@pytest.mark.parametrize("example", files.EXAMPLES)
def test_reading_a_file_again_yields_the_same(example: str) -> None:
    name, data = files.EXAMPLES[example]
    file = UploadedFile.of(data)
    first = list(BY_NAME[name].read(file))
    assert first
    assert first == list(BY_NAME[name].read(file))


def test_pocket_csv_has_titles_that_are_urls_tags_by_pipes_and_unix_seconds() -> None:
    first, second, third = links(files.POCKET_CSV)
    assert user_fields_of(first).title is None
    assert (first.added_at, first.is_read, first.is_archived) == (at(2018, 1, 1, 14, 10), False, False)
    assert (second.title, second.tags) == ("A title, with a comma", ("recipes", "to cook", "Äpfel"))
    assert (second.is_read, second.is_archived) == (True, True)
    assert (third.title, third.url) == ('Two "quotes"', "http://example.org/c?x=1&y=2")


@pytest.mark.parametrize("mark", [",", ";", "\t"])
def test_columns_are_separated_by_commas_semicolons_or_tabs(mark: str) -> None:
    [link] = links(f'url,title,tags\r\nhttps://example.org/a,"One{mark} two","a|b"\r\n'.replace(",", mark))
    assert (link.url, link.title, link.tags) == ("https://example.org/a", f"One{mark} two", ("a", "b"))


def test_what_stands_in_a_quoted_name_of_a_column_separates_none() -> None:
    [link] = links('url,title,tags,"note (a; b; c; d; e)"\nhttps://example.org/a,One,a|b,Mine\n')
    assert (link.url, link.title, link.tags) == ("https://example.org/a", "One", ("a", "b"))


def test_pockets_zip_is_read_part_by_part_with_its_annotations() -> None:
    found = links(files.pocket_zip())
    assert [link.url for link in found][-1] == "https://example.com/last"
    assert len(found) == 4
    assert found[1].highlights == (ImportedHighlight("A fine sentence.", created_at=at(2016, 6, 22, 12, 53, 20)),)


def test_pockets_old_page_tells_what_was_read() -> None:
    first, second, third = links(files.POCKET_HTML)
    assert (first.is_read, third.is_read, third.is_archived) == (False, True, True)
    assert (second.url, second.title, second.tags) == ("https://example.org/?a=1&b=2", "Q & A", ("tag1", "tag two"))
    assert second.added_at == at(2023, 5, 24, 7, 29, 6)
    assert first.folders == ()


def test_a_browsers_folders_are_paths_and_its_own_places_are_none() -> None:
    found = links(files.FIREFOX_HTML)
    assert {link.title: link.folders for link in found} == {
        "Most Visited": (),
        "Soup": (("Cooking",),),
        "Cake > pie": (("Cooking", "Desserts"),),
        "Bread": (("Cooking",),),
        "Daily": (),
        "Last": (),
    }
    by_title = {link.title: link for link in found}
    assert by_title["Soup"].excerpt == "A good one & simple"
    assert by_title["Cake > pie"].tags == ("sweet", "Oven")
    assert by_title["Cake > pie"].added_at == at(2017, 7, 14, 2, 40, 3)
    assert by_title["Daily"].added_at == at(2017, 7, 14, 2, 40, 4)
    assert by_title["Last"].added_at is None


def test_linkdings_page_has_notes_in_the_description_and_a_tag_for_the_archive() -> None:
    first, second = links(files.LINKDING_HTML)
    assert (first.excerpt, first.note) == ("Words of it", "A note\nof two lines")
    assert (first.tags, first.is_archived, first.is_read) == (("go",), True, False)
    assert (second.is_archived, second.is_read, second.note) == (False, True, None)


def test_a_bookmark_page_may_lack_its_doctype_its_quotes_and_its_ends() -> None:
    bare, x, y = links(files.NO_DOCTYPE_HTML)
    assert (bare.url, bare.tags) == ("https://example.com/bare", ("one", "two"))
    assert (x.title, x.excerpt, x.folders) == ("X", "Never closed", (("Open",),))
    assert (y.title, y.folders) == ("Y", (("Open",),))


def test_instapapers_own_folders_are_states() -> None:
    one, two, three, four = links(files.INSTAPAPER_CSV)
    assert (one.folders, one.is_read, one.added_at) == ((), False, at(2021, 12, 21, 10, 1, 19))
    assert (two.is_archived, two.tags) == (True, ("a b", "c"))
    assert two.highlights == (ImportedHighlight('A marked "line".'),)
    assert three.is_favourite
    assert four.folders == (("Long Reads",),)


def test_instapapers_older_files_have_no_tags() -> None:
    [one] = links("URL,Title,Selection,Folder\nhttps://example.com/x,First,,Unread\n")
    assert one.tags == ()


def test_raindrop_has_a_mark_at_the_start_nested_folders_and_highlights_in_one_cell() -> None:
    book, loose = links(files.EXAMPLES["raindrop"][1])
    assert (book.folders, book.tags, book.is_favourite) == ((("Dev", "Rust"),), ("rust", "books"), True)
    assert (book.note, book.excerpt) == ("my note", "An excerpt, with comma")
    assert book.highlights == (ImportedHighlight("First line.", "mine"), ImportedHighlight("Second"))
    assert book.added_at == at(2024, 5, 1, 10)
    assert (loose.folders, loose.is_favourite) == ((), False)


def test_reader_has_a_list_in_quotes_and_a_feed_that_was_never_saved() -> None:
    archived, feed, later = read(files.READWISE_CSV)
    assert isinstance(archived, ImportedLink)
    assert archived.is_archived
    assert archived.added_at == at(2025, 1, 20, 22, 13, 2).replace(microsecond=447000)
    assert feed == Rejected(
        "This came by a feed in Reader and was never saved.", "mailto:reader-forwarded-email/7346231d"
    )
    assert isinstance(later, ImportedLink)
    assert (later.tags, later.is_favourite) == (("don't", "peanut, butter"), True)
    assert (later.added_at, later.progress) == (at(2022, 12, 5, 10, 42, 10), 0.25)


def test_readwises_highlights_are_gathered_by_page() -> None:
    page, other = links(files.READWISE_HIGHLIGHTS_CSV)
    assert (page.url, page.title) == ("https://example.com/h", "A page")
    assert page.highlights == (
        ImportedHighlight("First words.\n\nMore of them.", "mine", at(2020, 10, 5, 10, 15, 30), start=12),
        ImportedHighlight("-5 degrees", "=sum", at(2020, 10, 6), start=3),
    )
    assert other.highlights == (ImportedHighlight("Elsewhere"),)


def test_readwises_own_table_names_no_page() -> None:
    [row] = read(files.READWISE_OWN_CSV)
    assert row == Rejected("This highlight is of no web page: the file names no URL for it.", "A book")


def test_readwises_api_tells_pages_with_their_highlights() -> None:
    page, book = read(files.EXAMPLES["readwise export"][1])
    assert isinstance(page, ImportedLink)
    [marked] = page.highlights
    assert (page.url, page.tags, marked.quote, marked.colour) == (
        *("https://example.com/h", ("news",)),
        *("First words.", Colour.RED),
    )
    assert marked.updated_at == at(2022, 9, 14, 16, 41, 53, 186_000)
    assert isinstance(book, Rejected)


def test_raindrops_highlights_may_lack_their_labels() -> None:
    cell = '"First line\n\nSecond line"'
    row = f"1,T,,,https://example.com/,Unsorted,,2024-05-02T10:00:00Z,,{cell},false"
    [link] = links(f"id,title,note,excerpt,url,folder,tags,created,cover,highlights,favorite\n{row}\n")
    assert link.highlights == (ImportedHighlight("First line"), ImportedHighlight("Second line"))


def test_annotations_of_one_page_are_one_entry() -> None:
    nowhere, page = read(files.EXAMPLES["annotations"][1])
    assert isinstance(nowhere, Rejected)
    assert page == ImportedLink(
        "https://example.com/h",
        highlights=(
            ImportedHighlight(
                *("marked words", "why", at(2024, 5, 1, 10, 0, 0, 1), Colour.GREEN, at(2024, 5, 2, 10)),
                *("the ", " here", 4),
            ),
            ImportedHighlight("", "on the page"),
        ),
    )


def test_matter_calls_archived_what_is_not_in_the_queue() -> None:
    first, second = links(files.MATTER_CSV)
    assert (first.tags, first.is_archived, first.added_at) == (("one", "two words"), False, at(2023, 4, 5, 10, 11, 12))
    assert (second.is_archived, second.is_favourite, second.is_read) == (True, True, True)


def test_wallabag_brings_its_articles_but_not_its_failures() -> None:
    first, second = links(files.EXAMPLES["wallabag"][1])
    assert first.content == ImportedPage(files.ARTICLE)
    assert (first.title, first.tags, first.is_read) == ("Words & more", ("php", "two words"), True)
    assert first.added_at == at(2016, 9, 8, 9, 55, 58)
    assert first.highlights == (ImportedHighlight("marked", "why", at(2016, 9, 8, 22)),)
    assert (second.content, second.tags, second.is_favourite) == (None, ("As object",), True)


def test_linkdings_rest_answer_is_read_with_its_envelope_and_without() -> None:
    first, second = links(files.EXAMPLES["linkding"][1])
    assert (first.note, first.excerpt, first.tags) == ("Example notes", "Example description", ("tag1", "tag2"))
    assert (first.is_read, second.is_read, second.is_archived) == (False, True, True)
    assert links(json.dumps(files.LINKDING["results"])) == [first, second]


def test_linkwardens_collections_are_paths_and_what_is_pinned_is_a_favourite() -> None:
    first, scan, nested = read(files.EXAMPLES["linkwarden"][1])
    assert isinstance(first, ImportedLink)
    assert isinstance(nested, ImportedLink)
    assert (first.title, first.folders, first.tags) == ("You're here", (), ("label b",))
    assert (first.is_favourite, nested.is_favourite) == (True, False)
    assert (nested.folders, nested.added_at) == ((("Work", "Ideas"),), at(2019, 1, 1))
    assert scan == Rejected("This is a file kept in Linkwarden, without a URL.", "scan.pdf")


def test_karakeeps_lists_are_paths_and_what_has_no_url_is_told() -> None:
    link, note, file = read(files.EXAMPLES["karakeep"][1])
    assert isinstance(link, ImportedLink)
    assert (link.folders, link.tags, link.note) == ((("Outer", "Inner"),), ("ai", "Two Words"), "my note")
    assert (link.is_archived, link.added_at) == (True, at(2023, 11, 14, 22, 13, 20))
    assert isinstance(note, Rejected)
    assert isinstance(file, Rejected)


def test_karakeeps_highlights_are_in_a_bookmark_or_beside_the_bookmarks() -> None:
    [link, *_] = links(files.EXAMPLES["karakeep"][1])
    assert link.highlights == (
        ImportedHighlight("First", None, at(2024, 2, 4), Colour.RED),
        ImportedHighlight("Second", "why", at(2024, 2, 5)),
    )


def test_linkwardens_highlights_come_with_their_link() -> None:
    [link, *_] = links(files.EXAMPLES["linkwarden"][1])
    marked = ImportedHighlight("marked", "why", at(2025, 6, 25), Colour.GREEN, at(2025, 6, 26))
    assert link.highlights == (marked,)


def test_omnivore_brings_articles_and_highlights_and_spells_states_as_it_likes() -> None:
    first, paper = links(files.omnivore_zip())
    assert first.content is not None
    assert "Kept words" in first.content.html
    assert (first.note, first.highlights) == (
        None,
        (
            ImportedHighlight("", "On the whole page"),
            ImportedHighlight("A fine sentence.", "my thought\n\nin two parts"),
            ImportedHighlight("Paragraph 1\nof the article", "#label #two words"),
            ImportedHighlight("Paragraph 2"),
        ),
    )
    assert (first.is_archived, first.progress, first.tags) == (True, 0.4, ("one", "two words"))
    assert (paper.content, paper.is_archived, paper.is_read) == (None, False, True)


def test_readecks_csv_has_labels_as_a_json_list() -> None:
    first, second = links(files.READECK_CSV)
    assert (first.tags, first.is_archived, first.is_favourite) == (("news", "with, comma"), True, True)
    assert (second.tags, second.added_at) == ((), at(2024, 2, 3, 4, 5, 7))


def test_readecks_zip_brings_one_users_articles() -> None:
    first, other = read(files.readeck_zip())
    assert isinstance(first, ImportedLink)
    assert (first.url, first.excerpt, first.is_favourite) == ("https://example.com/initial", "Its description", True)
    assert first.highlights == (ImportedHighlight("marked words", "why", at(2024, 2, 4), Colour.BLUE),)
    assert first.content == ImportedPage(files.ARTICLE)
    assert isinstance(other, Rejected)


def test_a_list_of_urls_may_have_titles_comments_and_bullets() -> None:
    assert [(link.url, link.title) for link in links(files.URL_LIST)] == [
        ("https://example.com/1", None),
        ("https://example.com/2", "With a title"),
        ("https://example.com/3", None),
        ("example.org/4", None),
    ]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "cp1252"])
def test_a_file_may_be_in_any_usual_encoding(encoding: str) -> None:
    second = links(files.POCKET_CSV.encode(encoding))[1]
    assert second.tags[-1] == "Äpfel"
