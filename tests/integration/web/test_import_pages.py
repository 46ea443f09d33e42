"""The import pages without JavaScript: a file, what is in it, a yes, a bar, the end."""

import re
from typing import Any

import aiohttp

from support.builders import uploaded_files as files
from support.builders.importing import work_off_imports as work_off
from support.servers.serving import Answer, Person, RunningKept

HTML = {"Accept": "text/html"}


async def send(person: Person, path: str, form: Any) -> Answer:
    return await person.send(path, form, **HTML)


def a_file(data: bytes, name: str = "export.html", **fields: str) -> aiohttp.FormData:
    form = aiohttp.FormData()
    for field, value in fields.items():
        form.add_field(field, value)
    form.add_field("file", data, filename=name)
    return form


async def test_a_file_is_brought_looked_through_and_imported(running: RunningKept, reader: Person) -> None:
    assert b'enctype="multipart/form-data"' in (await reader.get("/import", **HTML)).body
    sent = await send(reader, "/import", a_file(files.FIREFOX_HTML.encode(), format="", folders="tags"))
    assert sent.status == 303
    path = sent.headers["Location"]
    looking = (await reader.get(path, **HTML)).body.decode()
    assert "Checking file" in looking
    assert '<noscript><meta http-equiv="refresh" content="2"></noscript>' in looking
    await work_off(running)
    checked = (await reader.get(path, **HTML)).body.decode()
    assert "Import 5 links" in checked
    assert "This is not a web page: place: URLs cannot be fetched." in checked
    assert "refresh" not in checked
    assert (await send(reader, path, {"action": "start"})).status == 303
    assert "<progress" in (await reader.get(path, **HTML)).body.decode()
    await work_off(running)
    done = (await reader.get(path, **HTML)).body.decode()
    assert re.search(r"<dt>Imported</dt><dd>5</dd>", done)
    assert "/rows" in done
    assert "export.html" in (await reader.get("/import", **HTML)).body.decode()


async def test_what_cannot_be_read_is_told_on_the_page(running: RunningKept, reader: Person) -> None:
    sent = await send(reader, "/import", a_file(b"\x00\x01", "x.bin"))
    await work_off(running)
    page = (await reader.get(sent.headers["Location"], **HTML)).body.decode()
    assert "This is not a file of a kind Kept can read." in page
    assert (await send(reader, sent.headers["Location"], {"action": "cancel"})).status == 303


async def test_a_form_without_a_file_is_shown_again_with_what_is_missing(reader: Person) -> None:
    answer = await send(reader, "/import", a_file(b"", ""))
    assert answer.status == 400
    assert b'role="alert"' in answer.body


async def test_somebody_elses_import_is_not_there(running: RunningKept, reader: Person) -> None:
    sent = await send(reader, "/import", a_file(files.POCKET_CSV.encode(), "p.csv"))
    bob = await running.make_person("bob")
    assert (await bob.get(sent.headers["Location"], **HTML)).status == 404
    assert (await send(bob, sent.headers["Location"], {"action": "cancel"})).status == 404


async def test_another_sites_form_cannot_bring_a_file(running: RunningKept, reader: Person) -> None:
    headers = {"Cookie": "kept_session=x", "Origin": "https://evil.example", **HTML}
    assert (await running.nobody.send("/import", a_file(b"x"), **headers)).status == 403
