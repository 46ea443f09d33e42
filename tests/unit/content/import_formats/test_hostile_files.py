"""Files made to hurt: they cost little, and say why they are not read."""

import io
import struct
import zipfile

import pytest

from kept.content.import_formats import archive as archives
from kept.content.import_formats.registry import BY_NAME, Unrecognised, find_reader
from kept.content.import_formats.uploaded_file import UploadedFile
from kept.domain.imported import ImportedLink, Rejected
from support.builders import uploaded_files as files


def refusal(data: bytes) -> str:
    found = find_reader(UploadedFile.of(data))
    assert isinstance(found, Unrecognised)
    return str(found.reason)


def test_an_empty_file_is_refused() -> None:
    assert "empty" in refusal(b"")


@pytest.mark.parametrize(
    "data",
    [
        b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR",
        b"%PDF-1.7\n\x00",
        b"just some words\nand more",
        b"{}",
        b"[]",
        b'{"a": [1]}',
    ],
)
def test_what_holds_no_links_is_refused(data: bytes) -> None:
    assert "not a file of a kind" in refusal(data)


def test_a_file_that_is_not_what_it_is_said_to_be_is_refused() -> None:
    found = find_reader(UploadedFile.of(files.POCKET_CSV.encode()), "wallabag")
    assert isinstance(found, Unrecognised)
    assert "wallabag" in str(found.reason)


def test_a_zip_bomb_is_refused_by_what_it_declares() -> None:
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for number in range(4):
            archive.writestr(f"part_00000{number}.csv", bytes(30 * 1024 * 1024))
    assert "packed in a way" in refusal(target.getvalue())


def test_an_entry_larger_than_it_declares_gives_no_more_than_it_declares() -> None:
    data = bytearray(files.zipped({"part_000000.csv": files.POCKET_CSV * 100}))
    at = data.index(b"PK\x01\x02") + 24
    data[at : at + 4] = struct.pack("<L", 40)
    file = UploadedFile.of(bytes(data))
    reader = find_reader(file)
    assert not isinstance(reader, Unrecognised)
    [entry] = list(reader.read(file))
    assert isinstance(entry, Rejected)


def test_what_is_stored_as_it_is_may_be_as_large_as_the_file_that_came(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archives, "MAX_ENTRY_BYTES", 100)
    monkeypatch.setattr(archives, "MAX_TOTAL_BYTES", 100)
    monkeypatch.setattr(archives, "MAX_EXPANDED_BYTES", 200)
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as made:
        made.writestr("a.pdf", b"x" * 500)
    opened = archives.open_archive(out)
    assert isinstance(opened, archives.Archive)
    assert opened.read("a.pdf", 500) == b"x" * 500
    assert opened.read("a.pdf", 500) is not None
    with pytest.raises(archives.ArchiveExhausted):
        opened.read("a.pdf", 500), opened.read("a.pdf", 500)


def test_a_zip_with_too_many_entries_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archives, "MAX_ENTRIES", 3)
    assert "more than 250,000 files" in refusal(files.zipped({f"{number}.txt": "" for number in range(4)}))


def test_a_zip_with_a_huge_directory_is_not_even_opened(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archives, "MAX_DIRECTORY_BYTES", 10)
    assert "too many files" in refusal(files.pocket_zip())


def test_a_cut_off_zip_is_refused() -> None:
    assert "damaged" in refusal(files.pocket_zip()[:-40])


def test_names_that_lead_out_of_the_zip_are_not_there() -> None:
    opened = archives.open_archive(
        io.BytesIO(files.zipped({"../up.csv": "", "/root.csv": "", "a\\b.csv": "", "c": ""}))
    )
    assert isinstance(opened, archives.Archive)
    assert opened.names() == ["c"]


def test_a_csv_field_that_never_ends_costs_one_row_and_is_told() -> None:
    data = files.POCKET_CSV + '"' + "x" * 200_000 + "\n" + "After,https://example.com/after,1,,unread\n"
    entries = list(BY_NAME["pocket"].read(UploadedFile.of(data.encode())))
    assert sum(isinstance(entry, ImportedLink) for entry in entries) >= 3
    assert any(isinstance(entry, Rejected) for entry in entries)


def test_json_nested_without_end_is_told_and_not_followed() -> None:
    deep = '[{"url": "https://example.com/a", "is_archived": 0, "is_starred": 0}, ' + "[" * 200_000
    first, second = list(BY_NAME["wallabag"].read(UploadedFile.of(deep.encode())))
    assert isinstance(first, ImportedLink)
    assert isinstance(second, Rejected)


def test_what_came_before_a_cut_in_json_is_kept() -> None:
    whole = files.EXAMPLES["wallabag"][1]
    first, second = list(BY_NAME["wallabag"].read(UploadedFile.of(whole[:-30])))
    assert isinstance(first, ImportedLink)
    assert isinstance(second, Rejected)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("karakeep", '{"bookmarks": [{"content": {"url": "https://e.org/"}, "tags": 5, "lists": 5}], "lists": 5}'),
        ("karakeep", '{"bookmarks": [{"content": {"url": "https://e.org/"}, "tags": []}], "lists": [{"id": []}]}'),
        (
            "linkwarden",
            '{"collections": [{"id": {}, "links": [{"id": [], "url": "https://e.org/"}]}], "pinnedLinks": 7}',
        ),
        ("linkwarden", '{"collections": [{"links": [{"url": "https://e.org/"}]}], "pinnedLinks": [{"id": {}}]}'),
    ],
)
def test_values_of_the_wrong_kind_are_passed_over(name: str, text: str) -> None:
    [entry] = list(BY_NAME[name].read(UploadedFile.of(text.encode())))
    assert isinstance(entry, ImportedLink)
    assert entry.url == "https://e.org/"


@pytest.mark.parametrize(
    "unit", ["<a ", '<a "', "<a href='", "<!--", "<dl>", "<", "<a href=x>", "<h3>", "</dl>", "<a \"><a '>"]
)
def test_markup_made_to_be_slow_takes_its_length_in_time(unit: str) -> None:
    text = "<!DOCTYPE NETSCAPE-Bookmark-file-1><dl>" + unit * (400_000 // len(unit))
    for _ in BY_NAME["netscape"].read(UploadedFile.of(text.encode())):
        pass


def test_a_link_is_read_whole_wherever_the_window_ends() -> None:
    line = '<DT><A HREF="https://example.com/{}" ADD_DATE="1500000000" ICON="{}">T{}</A>\n'
    text = "<DL>" + "".join(line.format(number, "A" * 3000, number) for number in range(2000)) + "</DL>"
    found = list(BY_NAME["netscape"].read(UploadedFile.of(text.encode())))
    assert [(link.url, link.title) for link in found if isinstance(link, ImportedLink)] == [
        (f"https://example.com/{number}", f"T{number}") for number in range(2000)
    ]
