"""Archives made piece by piece are archives like any other."""

import io
import shutil
import subprocess
import zipfile
from datetime import UTC, datetime
from pathlib import Path

import pytest

from kept.content.export_formats.zip_stream import TOO_LONG, TOO_MANY, Deflated, Member, ZipStream

AT = datetime(2026, 5, 4, 12, 30, 15, tzinfo=UTC)


def pack(*members: Member, offset: int = 0) -> bytes:
    archive = ZipStream(io.BytesIO(), AT, offset=offset)
    return b"".join([*(chunk for member in members for chunk in archive.add(member)), *archive.end()])


def grow(*lines: str) -> Deflated:
    file = Deflated(io.BytesIO())
    for line in lines:
        file.write(line)
    return file.finish()


def test_every_file_comes_out_as_it_went_in() -> None:
    members = [
        Member("mimetype", b"application/epub+zip", is_packed=True),
        Member("empty", b""),
        Member("übung/日本語.txt", b"words " * 1000),
        Member("lines", grow(*(f"line {number}\n" for number in range(5000)))),
    ]
    archive = zipfile.ZipFile(io.BytesIO(pack(*members)))
    assert archive.testzip() is None
    assert archive.namelist() == [member.name for member in members]
    assert archive.infolist()[0].compress_type == zipfile.ZIP_STORED
    assert archive.read("übung/日本語.txt") == b"words " * 1000
    assert archive.read("lines").decode().splitlines()[-1] == "line 4999"
    assert archive.infolist()[0].date_time == (2026, 5, 4, 12, 30, 14)


def test_a_growing_file_can_be_read_back_without_an_archive() -> None:
    assert b"".join(grow("a", "é" * 100_000).chunks()).decode() == "a" + "é" * 100_000


def test_another_program_finds_no_fault_with_it(tmp_path: Path) -> None:
    if shutil.which("unzip") is None:
        pytest.skip("unzip IS NOT INSTALLED: only Python's own reader is asked")
    (tmp_path / "a.zip").write_bytes(pack(Member("a/b.txt", b"x" * 100), Member("c", grow("y" * 100))))
    assert subprocess.run(["unzip", "-t", tmp_path / "a.zip"], capture_output=True).returncode == 0


def test_more_files_than_the_old_format_counts() -> None:
    number = TOO_MANY + 10
    archive = zipfile.ZipFile(io.BytesIO(pack(*(Member(str(each), b"") for each in range(number)))))
    assert len(archive.namelist()) == number
    assert archive.read(str(number - 1)) == b""


def test_an_archive_longer_than_the_old_format_measures(tmp_path: Path) -> None:
    """The first 5 GiB are a hole in the file: only what comes behind is written."""
    offset = 5 * 1024**3
    assert offset > TOO_LONG
    with (tmp_path / "long.zip").open("wb") as file:
        file.seek(offset)
        file.write(pack(Member("far", b"away " * 100), Member("beyond", grow("it")), offset=offset))
    with zipfile.ZipFile(tmp_path / "long.zip") as archive:
        assert (archive.read("far"), archive.read("beyond")) == (b"away " * 100, b"it")
        assert archive.infolist()[0].header_offset == offset
