"""What clients send that no specification mentions: each of these broke, or would break, a real one."""

from typing import Any

import pytest

from kept.compat.readeck.bookmarks_out import write_id
from kept.ids import new_id
from support.servers.serving import Person, RunningKept

LISTS = ("/wallabag/api/entries", "/linkding/api/bookmarks", "/readeck/api/bookmarks", "/opds/unread")
EMOJI = "\N{WOMAN}\N{ZERO WIDTH JOINER}\N{PERSONAL COMPUTER}"


def count(answer: Any) -> int:
    """How many a list of any of the APIs says there are."""
    if "Total-Count" in answer.headers:
        return int(answer.headers["Total-Count"])
    return int(answer.json["total"] if "total" in answer.json else answer.json["count"])


async def test_head_is_get_without_a_body_in_either_slash_form(saving: RunningKept, ann: Person) -> None:
    for path in (*LISTS, "/wallabag/api/version", "/linkding/health", "/readeck/api/info", "/opds"):
        for form in (path, f"{path}/"):
            got, head = await ann.get(form), await ann.call("HEAD", form)
            assert (head.status, head.body) == (200, b""), form
            for name in ("Content-Type", "Content-Length"):
                assert head.headers[name] == got.headers[name], form


async def test_the_scheme_of_a_token_is_spelt_in_any_case_and_no_client_is_too_old(
    saving: RunningKept, ann: Person
) -> None:
    for scheme in ("Bearer", "bearer", "BEARER", "Token", "token"):
        for path in LISTS:
            sent = {"Authorization": f"{scheme}  {ann.token}", "User-Agent": "Mozilla/4.0 (compatible; MSIE 5.0)"}
            assert (await saving.nobody.call("GET", path, **sent)).status == 200, (scheme, path)
    for wrong in ("", "Bearer", "Bearer ", f"Digest {ann.token}", f"Bearer {ann.token}x", "Basic ???", "Token \xff"):
        for path in LISTS:
            assert (await saving.nobody.call("GET", path, Authorization=wrong)).status == 401, (wrong, path)


@pytest.mark.parametrize(
    ("path", "status"),
    [("/wallabag/api/entries", 200), ("/linkding/api/bookmarks/", 201), ("/readeck/api/bookmarks", 202)],
)
async def test_a_link_comes_as_json_with_a_charset_as_a_form_or_as_multipart(
    saving: RunningKept, ann: Person, path: str, status: int
) -> None:
    bodies = {
        "application/json; charset=UTF-8": b'{"url": "https://example.org/%d"}',
        "Application/JSON": b'{"url": "https://example.org/%d"}',
        "text/plain": b'{"url": "https://example.org/%d"}',
        "application/x-www-form-urlencoded; charset=utf-8": b"url=https%%3A%%2F%%2Fexample.org%%2F%d",
        "multipart/form-data; boundary=x": (
            b'--x\r\nContent-Disposition: form-data; name="url"\r\n\r\nhttps://example.org/%d\r\n--x--\r\n'
        ),
    }
    for number, (kind, body) in enumerate(bodies.items()):
        answer = await ann.call("POST", path, data=body % number, **{"Content-Type": kind})
        assert answer.status == status, (kind, answer.body)
    assert count(await ann.get(path)) == len(bodies)
    for kind in (*bodies, "multipart/form-data", "nonsense"):
        for body in (b"", b"{", b"[]", b"\xff\xfe"):
            refused = await ann.call("POST", path, data=body, **{"Content-Type": kind})
            assert refused.status in {400, 422}, (kind, body)


async def test_odd_pages_limits_and_ids_lead_nowhere_and_to_no_error(saving: RunningKept, ann: Person) -> None:
    entry = (await ann.post("/wallabag/api/entries", {"url": "https://example.org/a"})).json
    many = "9" * 30
    for query in ("perPage=0", "perPage=-1", "page=0", "page=-3", f"perPage={many}", "perPage=x", f"since=-{many}"):
        assert count(await ann.get(f"/wallabag/api/entries?{query}")) == 1, query
    for query in ("page=2", f"page={2**63}", f"page={many}"):
        assert (await ann.get(f"/wallabag/api/entries?{query}")).status == 404, query
    for query in ("limit=0", "limit=-1", f"limit={many}", "offset=-1", "limit=x"):
        for path in ("/linkding/api/bookmarks/", "/readeck/api/bookmarks"):
            answer = await ann.get(f"{path}?{query}")
            assert count(answer) == 1, (path, query)
            assert str(entry["url"]).encode() in answer.body, (path, query)
    for path, empty in (("/linkding/api/bookmarks/", b'"results":[]'), ("/readeck/api/bookmarks", b"[]")):
        for offset in ("1", str(2**63), many):
            assert empty in (await ann.get(f"{path}?offset={offset}")).body, (path, offset)
    for number in ("0", "-1", str(2**31), str(2**63), many, "1e3", "0x1", "\N{ARABIC-INDIC DIGIT ONE}"):
        for path in (f"/wallabag/api/entries/{number}", f"/linkding/api/bookmarks/{number}/"):
            for method in ("GET", "PATCH", "DELETE"):
                assert (await ann.call(method, path)).status == 404, (method, path)


async def test_a_tag_may_be_an_emoji_and_is_found_by_it(saving: RunningKept, ann: Person) -> None:
    await ann.post("/wallabag/api/entries", {"url": "https://example.org/a", "tags": EMOJI})
    await ann.post("/linkding/api/bookmarks/", {"url": "https://example.org/b", "tag_names": [EMOJI]})
    await ann.post("/readeck/api/bookmarks", {"url": "https://example.org/c", "labels": [EMOJI]})
    for item in (await ann.get("/api/v1/items")).data:
        assert item["tags"] == [EMOJI], item["url"]
    for path in (f"/linkding/api/bookmarks/?q=%23{EMOJI}", f'/readeck/api/bookmarks?labels="{EMOJI}"'):
        assert count(await ann.get(path)) == 3, path
    [tag] = (await ann.get("/wallabag/api/tags")).json
    assert tag["label"] == EMOJI
    assert count(await ann.get(f"/wallabag/api/entries?tags={tag['label']}")) == 3


async def test_moments_come_with_a_zone_without_one_and_with_a_plus_that_became_a_space(
    saving: RunningKept, ann: Person
) -> None:
    await ann.post("/wallabag/api/entries", {"url": "https://example.org/a"})
    past = ("2020-01-01", "2020-01-01T00:00:00", "2020-01-01T00:00:00Z", "2020-01-01T00:00:00+02:00")
    for zone in ("", "Z", "+02:00", "%2B02:00", ".123456789Z"):
        for year, found in (("2020", 1), ("2999", 0)):
            moment = f"{year}-01-01T00:00:00{zone}"
            for path in ("/linkding/api/bookmarks/?modified_since", "/readeck/api/bookmarks?updated_since"):
                assert count(await ann.get(f"{path}={moment}")) == found, (path, moment)
    for moment in past:
        events = await ann.get(f"/readeck/api/bookmarks/sync?since={moment}")
        assert [event["type"] for event in events.json] == ["update"], moment


async def test_readeckapp_asks_for_hundreds_of_ids_in_one_url_and_a_bad_link_says_which_field(
    saving: RunningKept, ann: Person
) -> None:
    await ann.post("/readeck/api/bookmarks", {"url": "https://example.org/a"})
    [own] = (await ann.get("/readeck/api/bookmarks")).json
    ids = [own["id"], *(write_id(new_id()) for _ in range(500))]
    answer = await ann.get("/readeck/api/bookmarks?" + "&".join(f"id={key}" for key in ids))
    assert [one["id"] for one in answer.json] == [own["id"]]
    refused = await ann.post("/readeck/api/bookmarks", {"url": "http://"})
    assert refused.status == 422
    assert refused.json["is_valid"] is False
    assert refused.json["fields"]["url"]["errors"]
    metadata = await saving.nobody.get("/readeck/.well-known/oauth-authorization-server")
    assert metadata.status == 200
    assert metadata.json["token_endpoint"].endswith("/readeck/api/oauth/token")
