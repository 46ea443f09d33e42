"""What a visit gives back, on pages that mean no harm and on a few that would like another name."""

import asyncio
import io

import pytest
from PIL import Image

from kept.domain.failures import FailureCode
from kept.fetch.browser.rendered import Rendered
from kept.fetch.outcome import FetchReason
from kept.urls.url import get_url
from support.servers.browsers import MakePool, MakeSite, Stage, get_failure, get_html, page, render


async def test_a_page_that_scripts_write_is_read_as_a_person_would_see_it(stage: Stage) -> None:
    script = "document.body.innerHTML = '<p>written by <b>script</b></p>'; document.title = 'Late';"
    stage.play({"/": page(f"<!doctype html><title>Early</title><body><script>{script}</script>")})

    seen = await stage.render()

    assert isinstance(seen, Rendered)
    assert (str(seen.final_url), seen.status, seen.content_type) == (stage.site.url(), 200, "text/html")
    assert (seen.title, seen.thumbnail) == ("Late", None)
    assert get_html(seen).startswith("<!DOCTYPE html>\n<html>")
    assert "<p>written by <b>script</b></p>" in get_html(seen)
    assert seen.timings.total_ms >= seen.timings.settle_ms > 0


async def test_a_screenshot_is_a_webp_that_shows_the_page(stage: Stage) -> None:
    words = f"<p style='color: rgb(0, 40, 0)'>{'Words on green. ' * 60}"
    stage.play({"/": page(f"<body style='background: rgb(0, 128, 0)'>{words}"), "/blank": page("<p>")})

    seen = await stage.render(html=False, screenshot=True)
    blank = await stage.render("/blank", html=False, screenshot=True)

    assert isinstance(blank, Rendered)
    assert blank.thumbnail is None

    assert isinstance(seen, Rendered)
    assert seen.html is None
    assert seen.thumbnail is not None
    with Image.open(io.BytesIO(seen.thumbnail.data)) as picture:
        assert (picture.format, picture.size) == ("WEBP", (640, 360))
        colours = picture.convert("RGB").resize((1, 1)).tobytes()
    assert all(abs(seen - drawn) < 16 for seen, drawn in zip(colours, (0, 128, 0), strict=True))


async def test_pictures_and_fonts_are_left_out_when_only_html_is_wanted(stage: Stage) -> None:
    heavy = (
        "<style>@font-face { font-family: f; src: url(/font) } body { font-family: f }</style>"
        "text<img src=/picture><video src=/film autoplay muted></video><script src=/script></script>"
    )
    answers = {"/": page(heavy), "/script": page("", type="text/javascript")}
    stage.play(answers)
    await stage.render()
    light = set(stage.asked)

    stage.play(answers)
    await stage.render(screenshot=True)

    assert light == {"/", "/script"}
    assert set(stage.asked) >= {"/", "/script", "/picture", "/font", "/film"}


async def test_redirects_are_followed_and_the_last_address_is_the_pages(stage: Stage) -> None:
    first, second = page("", "302 Found", Location="/b"), page("", "301 Moved", Location="/c#x")
    stage.play({"/a": first, "/b": second, "/c": page("c")})

    seen = await stage.render("/a")

    assert isinstance(seen, Rendered)
    assert (seen.final_url, seen.redirects) == (get_url(stage.site.url("/c")), 2)


@pytest.mark.requirement("002", "§3 five redirects at most, for the browser too")
async def test_five_redirects_are_followed_and_six_are_not(stage: Stage) -> None:
    hops = {f"/{n}": page("", "302 Found", Location=f"/{n - 1}") for n in range(1, 7)}
    stage.play(hops | {"/0": page("<p>there")})
    assert isinstance(await stage.render("/5"), Rendered)
    assert get_failure(await stage.render("/6")).reason is FetchReason.TOO_MANY_REDIRECTS


def refresh(target: str) -> bytes:
    return page(f'<meta http-equiv="refresh" content="1; url={target}"><p>Moved.')


async def test_a_meta_refresh_is_followed_by_the_browser_too(stage: Stage) -> None:
    stage.play(
        {"/a": page("", "302 Found", Location="/b"), "/b": refresh("/c"), "/c": page("<p>there" + " and more" * 200)}
    )

    seen = await stage.render("/a", screenshot=True)

    assert isinstance(seen, Rendered)
    assert (seen.final_url, seen.redirects) == (get_url(stage.site.url("/c")), 2)
    assert "<p>there" in get_html(seen)
    assert seen.thumbnail is not None


async def test_meta_refreshes_that_lead_in_a_circle_end(stage: Stage) -> None:
    stage.play({"/a": refresh("/b"), "/b": refresh("/a")})

    assert get_failure(await stage.render("/a")).reason is FetchReason.TOO_MANY_REDIRECTS
    assert len([path for path in stage.asked if path in {"/a", "/b"}]) == 6


async def test_a_meta_refresh_into_the_network_is_refused(make_pool: MakePool, site: MakeSite) -> None:
    """Though the operator allowed it: the saved page is another one."""
    home = await site({"/": page("<p>inside</p>")})
    other = await site({"/": refresh(home.url())}, address="127.0.0.2")
    pool = make_pool(home.allowed, other.allowed)

    assert get_failure(await render(pool, other.url())).reason is FetchReason.FORBIDDEN_ADDRESS
    assert home.connections == 0


@pytest.mark.parametrize(
    "script",
    [
        "history.pushState({}, '', '/victim')",
        pytest.param("history.replaceState({}, '', '/victim')", marks=pytest.mark.long),
        "location.replace('/victim')",
        pytest.param("location.href = '/victim'", marks=pytest.mark.long),
        "setTimeout(() => location.assign('/victim'), 100)",
        "document.write('<meta http-equiv=refresh content=\"0; url=/victim\">')",
        "document.body.innerHTML += '<form id=f action=/victim method=post></form>'; f.submit()",
        "document.body.innerHTML += '<a id=a href=/victim>x</a>'; a.click()",
        "location.reload()",
    ],
)
async def test_a_page_cannot_file_itself_under_another_address(stage: Stage, script: str) -> None:
    mine = page(f"<body><p>mine</p><script>{script}</script>")
    stage.play({"/": mine, "/victim": page("<p>the victim's own words</p>")})

    seen = await stage.render()

    assert isinstance(seen, Rendered)
    assert str(seen.final_url) == stage.site.url()
    assert "<p>mine</p>" in get_html(seen)
    assert "own words" not in get_html(seen)
    assert "/victim" not in stage.asked


@pytest.mark.parametrize(
    "target", ["URL.createObjectURL(new Blob(['<p>forged'], {type: 'text/html'}))", "'about:blank'"]
)
async def test_a_page_that_replaces_itself_without_the_network_is_not_kept(stage: Stage, target: str) -> None:
    stage.play({"/": page(f"<body><script>location = {target}</script>")})

    assert get_failure(await stage.render()).reason is FetchReason.PAGE_LEFT


async def test_a_page_that_rewrites_the_functions_we_read_it_with_changes_nothing(stage: Stage) -> None:
    tricks = (
        "Object.defineProperty(Element.prototype, 'outerHTML', {get: () => 'forged'});"
        "Object.defineProperty(document, 'documentElement', {get: () => ({outerHTML: 'forged'})});"
        "Object.defineProperty(document, 'readyState', {get: () => 'loading'});"
        "XMLSerializer.prototype.serializeToString = () => 'forged';"
    )
    stage.play({"/": page(f"<!doctype html><p>true</p><script>{tricks}</script>")})

    html = get_html(await stage.render())

    assert html.startswith("<!DOCTYPE html>\n<html>")
    assert "<p>true</p>" in html


async def test_a_page_is_denied_every_permission_and_sees_our_name(stage: Stage) -> None:
    script = """
      const say = text => document.body.append(text + ';');
      say(navigator.userAgent); say(Notification.permission);
      navigator.geolocation.getCurrentPosition(() => say('found'), error => say('geolocation ' + error.code));
      navigator.permissions.query({name: 'camera'}).then(answer => say('camera ' + answer.state));
      navigator.serviceWorker.register('/worker');
    """
    stage.play({"/": page(f"<body><script>{script}</script>"), "/worker": page("", type="text/javascript")})

    html = get_html(await stage.render())

    assert "Kept/test (+https://kept.example/bot);denied;" in html
    assert "geolocation 1;" in html
    assert "camera denied;" in html
    assert stage.site.requests[0].headers["user-agent"] == "Kept/test (+https://kept.example/bot)"
    assert "/worker" not in stage.asked


async def test_nothing_of_one_visit_is_left_in_the_next(stage: Stage) -> None:
    script = (
        "document.body.append('was:' + document.cookie + localStorage.getItem('k'));"
        "document.cookie = 'a=b'; localStorage.setItem('k', 'v')"
    )
    stage.play({"/": page(f"<body><script>{script}</script>", Set_Cookie="c=d")})

    first = get_html(await stage.render())
    second = get_html(await stage.render())

    assert "was:c=dnull" in first
    assert second == first
    assert all("cookie" not in request.headers for request in stage.site.requests)


async def test_an_error_page_is_shown_with_its_status(stage: Stage) -> None:
    stage.play({"/": page("<p>busy</p>", "503 Service Unavailable", Retry_After="30")})

    seen = await stage.render()

    assert isinstance(seen, Rendered)
    assert (seen.status, seen.headers["retry-after"]) == (503, "30")


@pytest.mark.parametrize(
    ("type", "code"),
    [
        ("application/pdf", FailureCode.FETCH_KIND_MISMATCH_PDF),
        ("application/zip", FailureCode.FETCH_UNSUPPORTED_CONTENT_TYPE),
    ],
)
async def test_what_is_no_page_is_not_drawn(stage: Stage, type: str, code: FailureCode) -> None:
    stage.play({"/": page("%PDF-1.7", type=type)})

    outcome = get_failure(await stage.render(screenshot=True))

    assert (outcome.reason, outcome.code) == (FetchReason.UNSUPPORTED_CONTENT, code)


async def test_a_document_over_the_limit_never_leaves_the_renderer(make_pool: MakePool, site: MakeSite) -> None:
    here = await site({"/": page("<body><script>document.body.append('x'.repeat(200000))</script>")})

    outcome = await render(make_pool(here.allowed, max_html_chars=100_000), here.url())

    assert get_failure(outcome).reason is FetchReason.TOO_LARGE


@pytest.mark.parametrize(
    ("url", "reason"),
    [
        ("http://no-such-name.example/", FetchReason.NO_SUCH_NAME),
        ("https://no-such-name.example/", FetchReason.NO_SUCH_NAME),
        ("http://localhost/", FetchReason.FORBIDDEN_NAME),
        ("http://10.0.0.1/", FetchReason.FORBIDDEN_ADDRESS),
        ("https://[::1]/", FetchReason.FORBIDDEN_ADDRESS),
        ("http://example.com:25/", FetchReason.FORBIDDEN_PORT),
    ],
)
async def test_a_site_that_cannot_be_reached_fails_for_the_true_reason(
    stage: Stage, url: str, reason: FetchReason
) -> None:
    assert get_failure(await render(stage.pool, url)).reason is reason


async def test_a_redirect_into_the_network_is_refused_and_said_to_be(stage: Stage) -> None:
    stage.play({"/": page("", "302 Found", Location="http://192.168.0.1/admin")})

    outcome = get_failure(await stage.render())

    assert (outcome.reason, outcome.label) == (FetchReason.FORBIDDEN_ADDRESS, "private")


async def test_a_site_that_hangs_up_is_told_from_one_that_is_refused(stage: Stage) -> None:
    async def hang_up(_request: object, writer: asyncio.StreamWriter) -> None:
        writer.close()

    stage.play(hang_up)

    outcome = get_failure(await stage.render())

    assert (outcome.reason, outcome.is_transient) == (FetchReason.RESET, True)


async def test_without_a_browser_nothing_is_rendered(make_pool: MakePool) -> None:
    outcome = await render(make_pool(executable=None), "http://example.com/")

    assert get_failure(outcome).reason is FetchReason.NO_BROWSER


async def test_a_page_the_operator_allowed_is_not_within_reach_of_another(make_pool: MakePool, site: MakeSite) -> None:
    """Both may be saved; neither may be used from the other, whatever the page does to reach it."""
    home = await site({"/": page("<p>inside</p>")})
    script = f"fetch('{home.url('/f')}', {{mode: 'no-cors'}}); new WebSocket('ws://127.0.0.1:{home.port}/w')"
    embeds = (
        f"<iframe src={home.url()}></iframe><img src={home.url('/i')}><script src={home.url('/s')}></script>"
        f"<script>{script}</script>"
    )
    answers = {"/": page(embeds), "/hop": page("", "302 Found", Location=home.url())}
    other = await site(answers, address="127.0.0.2")
    pool = make_pool(home.allowed, other.allowed)

    alone = await render(pool, home.url(), screenshot=True)
    connections = home.connections
    embedded = await render(pool, other.url(), screenshot=True)
    hopped = await render(pool, other.url("/hop"))

    assert "inside" in get_html(alone)
    assert isinstance(embedded, Rendered)
    assert embedded.refusals["loopback"] >= 5
    assert get_failure(hopped).reason is FetchReason.FORBIDDEN_ADDRESS
    assert home.connections == connections


async def test_a_cover_is_taken_soon_or_once_there_is_something_to_see(make_pool: MakePool, site: MakeSite) -> None:
    text, never = "<p>text</p>" + "text " * 200, "<img src=/never>"
    draw_late = "setTimeout(() => document.body.append(document.querySelector('template').content), 2000)"

    async def answer(request: object, writer: asyncio.StreamWriter) -> None:
        match getattr(request, "target", ""):
            case "/ready":
                writer.write(page(text + never))
            case "/late":
                writer.write(page(f"<template>{text}</template>{never}<script>{draw_late}</script>"))
            case _:
                await asyncio.Event().wait()

    here = await site(answer)
    pool = make_pool(here.allowed, settle_seconds=5.0)
    ready = await render(pool, here.url("/ready"), html=False, screenshot=True)
    late = await render(pool, here.url("/late"), html=False, screenshot=True)

    assert isinstance(ready, Rendered)
    assert isinstance(late, Rendered)
    assert ready.thumbnail is not None
    assert late.thumbnail is not None
    assert ready.timings.settle_ms < 5000 <= late.timings.settle_ms + 500
