"""Pages that stand in the way, written for these tests in the manner of real ones, and pages that do not."""

import pytest
from selectolax.lexbor import LexborHTMLParser

from kept.content.page.challenge import classify_page
from kept.content.page.description import PageKind
from kept.content.page.metadata import read_metadata
from kept.content.page.outline import count_shown_words, read_outline

_ARTICLE = "<p>" + "The harbour was quiet that morning, and the boats lay still on the water. " * 40 + "</p>"


def _classify(html: str, url: str = "https://site.example/story", status: int | None = 200) -> PageKind:
    return classify_page(html, url=url, metadata=read_metadata(html, url), status=status).kind


CHALLENGES = {
    "a waiting page that sets a challenge's options": """
        <title>Just a moment...</title><body><div class="main-wrapper"><h1>news.example</h1>
        <p>Performing a check of your connection</p></div>
        <script>window._cf_chl_opt = {cRay: 'abc', cType: 'managed'};</script>""",
    "the same in German": """<title>Einen Moment…</title><body><h2>Die Verbindung wird geprüft</h2>
        <script src="/cdn-cgi/challenge-platform/h/b/orchestrate.js"></script>""",
    "a block page with a ray number": """<title>Attention Required! | Cloudflare</title>
        <div id="cf-error-details"><h1>Sorry, you have been blocked</h1><p>Ray ID: 0</p></div>""",
    "a slider behind a frame": """<title>shop.example</title><body><iframe
        src="https://geo.captcha-delivery.com/captcha/?initialCid=x"></iframe></body>""",
    "press and hold": """<title>Access to this page has been denied</title><div id="px-captcha"></div>
        <p>Press &amp; Hold to confirm you are a human and not a bot.</p>""",
    "an incident number": """<html><head><META NAME="robots" CONTENT="noindex"></head><body>
        <iframe src="/_Incapsula_Resource?CWUDNSAI=1">Request unsuccessful.</iframe></body>""",
    "a reference number at the edge": """<TITLE>Access Denied</TITLE><H1>Access Denied</H1>
        You don't have permission to reach this on this server.<P>Reference #18.x
        <P>https://errors.edgesuite.net/18""",
    "a proof of work": """<title>Making sure you're not a bot!</title><h1>Making sure you're not a bot!</h1>
        <script src="/.within.website/x/cmd/anubis/static/js/main.mjs"></script>""",
    "a checkpoint": "<title>Vercel Security Checkpoint</title><p>We are verifying your browser</p>",
    "an interruption": """<title>Pardon Our Interruption</title><h1>Pardon Our Interruption</h1>
        <p>Something about your browser made us think you were a bot.</p>""",
    "unusual traffic": """<title>https://search.example/?q=x</title><p>Our systems have detected unusual traffic
        from your computer network. This page checks to see if it's really you sending the requests.</p>""",
    "a robot question": "<title>Are you a robot?</title><h1>Are you a robot?</h1><p>Tick the box below.</p>",
    "a puzzle of no known vendor": """<title>Example Daily</title><h1>Example Daily</h1>
        <p>To go on reading, please complete the captcha below.</p><div id=c></div>""",
}


@pytest.mark.parametrize("html", CHALLENGES.values(), ids=CHALLENGES.keys())
def test_a_robot_check_is_a_challenge(html: str) -> None:
    assert _classify(html) is PageKind.CHALLENGE


ERROR_PAGES = {
    "a plain refusal": "<title>403 Forbidden</title><body><h1>403 Forbidden</h1><hr>nginx</body>",
    "too many requests": "<title>429 Too Many Requests</title><h1>Too Many Requests</h1><p>Slow down.</p>",
    "a failing server that says 200": "<title>502 Bad Gateway</title><center><h1>502 Bad Gateway</h1></center>",
}


@pytest.mark.parametrize("html", ERROR_PAGES.values(), ids=ERROR_PAGES.keys())
def test_an_error_that_asks_for_nothing_is_an_error_page_and_no_robot_check(html: str) -> None:
    assert _classify(html) is PageKind.ERROR_PAGE


OUTAGES = {
    "maintenance": "<title>Please wait</title><h1>Please wait</h1><p>We are back in an hour.</p>",
    "a server that Cloudflare cannot reach": """<title>news.example | 521: Web server is down</title>
        <div id="cf-error-details"><h1>Web server is down</h1><p>Error code 521</p></div>""",
    "a server that Akamai cannot reach": """<title>Service Unavailable</title><h1>Service Unavailable - DNS failure</h1>
        <p>https://errors.edgesuite.net/11</p>""",
}


@pytest.mark.parametrize("html", OUTAGES.values(), ids=OUTAGES.keys())
def test_a_site_that_is_down_is_no_robot_check(html: str) -> None:
    assert _classify(html, status=503) is not PageKind.CHALLENGE


@pytest.mark.parametrize("name", sorted(CHALLENGES.keys() - {"a reference number at the edge"}))
def test_a_robot_check_may_come_with_503(name: str) -> None:
    assert _classify(CHALLENGES[name], status=503) is PageKind.CHALLENGE


@pytest.mark.parametrize("status", [401, 403, 429, 503])
def test_a_status_alone_makes_no_page_a_challenge_or_a_login(status: int) -> None:
    html = "<title>Hm</title><p>There is nothing for you here at this time.</p>"
    assert _classify(html, status=status) is PageKind.CONTENT


def test_with_401_a_heading_is_enough_for_a_login() -> None:
    html = "<title>Authentication required</title><p>Members only.</p>"
    assert _classify(html, status=401) is PageKind.LOGIN_WALL
    assert _classify(html, status=200) is PageKind.CONTENT


SOFT_404S = [
    "<title>Page not found | Example Daily</title><h1>Oops</h1><p>Try our search.</p>",
    "<title>404 - Example</title><p>We looked everywhere.</p>",
    "<title>Example Daily</title><h1>404 Not Found</h1>",
    "<title>Example</title><h1>Sorry, we can't find that page</h1><ul><li>Home<li>News</ul>",
    "<title>Example</title><h1>The page you requested could not be found.</h1>",
    "<title>Oops! That page can’t be found. – My Blog</title><h1>Nothing found</h1>",
    "<title>This article is no longer available</title>",
    "<title>Seite nicht gefunden – Beispiel</title>",
    "<title>Page introuvable | Exemple</title>",
    "<title>Página no encontrada</title>",
    "<title>Страница не найдена — Пример</title>",
    "<title>ページが見つかりません</title>",
    "<title>页面不存在</title>",
]


@pytest.mark.parametrize("html", SOFT_404S)
def test_an_error_page_that_says_200_is_a_soft_404(html: str) -> None:
    assert _classify(html) is PageKind.SOFT_404


CONSENT_WALLS = {
    "a consent host": (
        "https://consent.news.example/v2/collectConsent?sessionId=1",
        "<title>News is part of a family of brands</title><form><p>"
        + "We and our 240 partners store data. " * 40
        + "</p><button>Accept all</button></form>",
    ),
    "before you continue": (
        "https://video.example/watch?v=1",
        "<title>Before you continue to Video</title><h1>Before you continue to Video</h1><form>"
        "<p>We use cookies and data to deliver and maintain our services.</p><button>Reject</button></form>",
    ),
    "a privacy gate": (
        "https://krant.example/privacy-gate/?next=/x",
        "<title>Krant</title><p>Kies wat je wilt.</p><button>Akkoord</button>",
    ),
    "we value your privacy": (
        "https://paper.example/x",
        "<title>Paper</title><h1>We value your privacy</h1><p>Choose.</p><button>Agree</button>",
    ),
}  # fmt: skip


@pytest.mark.parametrize(("url", "html"), CONSENT_WALLS.values(), ids=CONSENT_WALLS.keys())
def test_a_page_that_wants_consent_first_is_a_consent_wall(url: str, html: str) -> None:
    assert _classify(html, url) is PageKind.CONSENT_WALL


LOGIN_WALLS = {
    "a log-in form": (
        "https://forum.example/login?next=/t/1",
        "<title>Log in - Forum</title><form><input name=u><input type=password></form>",
    ),
    "a sign-in heading": (
        "https://site.example/story",
        "<title>Site</title><h1>Sign in to continue</h1><form><input type=PASSWORD></form>",
    ),
    "a single sign-on without a password": (
        "https://id.example/accounts/login/",
        "<title>Sign in</title><button>Continue with e-mail</button>",
    ),
    "in another language": (
        "https://blog.example/x",
        "<title>Anmelden</title><form><input type=password></form>",
    ),
}


@pytest.mark.parametrize(("url", "html"), LOGIN_WALLS.values(), ids=LOGIN_WALLS.keys())
def test_a_page_that_wants_a_password_first_is_a_login_wall(url: str, html: str) -> None:
    assert _classify(html, url) is PageKind.LOGIN_WALL


SHELLS = [
    "<title>My App</title><noscript>You need to enable JavaScript to run this app.</noscript><div id=root></div>"
    "<script src=/static/main.js></script>",
    "<title>News</title><body><div id=__next></div><script src=/_next/x.js></script>",
    "<title>x</title><body><app-root></app-root><script src=main.js></script>",
    "<title>x</title><body>Please turn on JavaScript and reload this page.<script src=x.js></script>",
    "<title>x</title><noscript>Bitte aktivieren Sie JavaScript.</noscript><div id=app>…</div><script></script>",
]


@pytest.mark.parametrize("html", SHELLS)
def test_an_empty_frame_for_scripts_needs_javascript(html: str) -> None:
    verdict = classify_page(html, url="https://app.example/x", status=200)
    assert verdict.kind is PageKind.JAVASCRIPT_REQUIRED
    assert not verdict.is_readable
    # Its head may still hold a good title.
    assert verdict.describes_itself


CONTENT = {
    "an article about robot checks": f"<title>Just a moment: how robot checks work</title>{_ARTICLE}",
    "an article that quotes one": f"<title>Verify you are human</title>{_ARTICLE}<p>Complete the captcha.</p>",
    "an article behind Cloudflare": f"{_ARTICLE}<script src=/cdn-cgi/challenge-platform/x></script>",
    "a short note with its script": "<title>A short note</title><p>I shall be away until Monday.</p>"
    "<script src=/cdn-cgi/challenge-platform/scripts/jsd/main.js></script>",
    "an article about 404": f"<title>404</title><h1>404</h1>{_ARTICLE * 2}",
    "a dated short post called Not found": "<title>Not found</title><h1>Not found</h1><p>A poem.</p>"
    '<meta property="article:published_time" content="2020-01-02T03:04:05Z">',
    "an article with a login in its header": f"<title>Log in</title><input type=password>{_ARTICLE}",
    "an article with a cookie banner": f"<h1>We value your privacy</h1><button>OK</button>{_ARTICLE}",
    "an article in a noscript that nobody closed": f"<body><noscript>Please enable JavaScript<h1>x</h1>{_ARTICLE}",
    "an article with a noscript notice": f"<noscript>Please enable JavaScript</noscript>{_ARTICLE}",
    "a short page": "<title>Hello</title><p>Hello, world.</p>",
    "an empty page": "",
}


@pytest.mark.parametrize("html", CONTENT.values(), ids=CONTENT.keys())
def test_what_only_mentions_an_obstacle_is_content(html: str) -> None:
    assert _classify(html) is PageKind.CONTENT


def test_the_reason_is_a_sentence_that_names_who_stood_in_the_way() -> None:
    html = CHALLENGES["a waiting page that sets a challenge's options"]
    verdict = classify_page(html, url="https://news.example/", status=503)
    assert verdict.reason == "The site showed a robot check (Cloudflare) instead of the page."
    assert not verdict.describes_itself


def test_a_page_longer_than_is_read_is_never_an_obstacle() -> None:
    html = "<title>Just a moment...</title><style>" + "a{}" * 400_000 + "</style>" + _ARTICLE
    assert _classify(html) is PageKind.CONTENT


def test_words_that_nobody_sees_are_not_counted() -> None:
    html = "<p>One two</p><noscript><p>three four</p></noscript><script>five six</script><div>seven</div>"
    assert count_shown_words(LexborHTMLParser(html)) == 3


def test_a_page_with_more_words_than_any_obstacle_is_content() -> None:
    html = "<title>Just a moment</title><h1>Verify you are human</h1>"
    assert classify_page(html, url="https://news.example/", least_words=901).is_readable
    assert not classify_page(html, url="https://news.example/", least_words=900).is_readable


@pytest.mark.parametrize("html", [*SHELLS, *CONTENT.values()])
def test_a_page_has_at_least_the_words_that_are_counted_for_it(html: str) -> None:
    assert count_shown_words(LexborHTMLParser(html)) <= read_outline(html).words
