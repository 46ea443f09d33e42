"""Nothing internal can be reached through the browser's proxy, counted where every address is local."""

import json
import os
from pathlib import Path

import pytest

from support.servers.any_address import Case, find_namespace_command, hop_url
from support.servers.any_address_proxy import PUBLIC_SITE, run_browsers, run_proxy_cases

SHARED = Path(os.environ.get("KEPT_TEST_SHARED") or Path(__file__).parents[5] / "shared") / "security"

pytestmark = pytest.mark.skipif(
    find_namespace_command() is None,
    reason="NOT PROVEN HERE: network namespaces cannot be made (needs unshare, ip, and root or user namespaces)",
)

INTERNAL = ["127.0.0.1", "10.0.0.1", "169.254.169.254", "0.0.0.0", "[::1]", "[::ffff:10.0.0.1]", "2130706433", "0x7f.1"]


def read_shared(name: str) -> list[Case]:
    path = SHARED / name
    if not path.is_file():
        pytest.skip(f"NOT PROVEN HERE: there is no {name}")
    rows = [json.loads(line) for line in path.read_text().splitlines()]
    cases = []
    for row in rows:
        turns = {host.lower().rstrip("."): [answer] for host, answer in row["dns"].items()}
        cases.append(Case(row["url"], turns))
        if row.get("whatwg_host"):  # what a browser makes of it
            cases.append(Case(f"http://{row['whatwg_host']}/", turns))
    return cases


def test_no_hostile_url_of_the_shared_list_leads_to_a_connection_through_the_proxy() -> None:
    cases = read_shared("ssrf_payloads.jsonl")

    results = run_proxy_cases(cases)

    assert len(results) == len(cases) > 600
    assert [result for result in results if result.reached or result.attempts or 200 in result.answers] == []


def test_every_harmless_url_of_the_shared_list_is_let_through_the_proxy() -> None:
    results = run_proxy_cases(read_shared("ssrf_controls_allowed.jsonl"))

    assert len(results) >= 23
    for result in results:
        wanted = 1 if result.url.startswith("https") else 0  # a browser asks for a tunnel, or for the page
        assert result.answers[wanted] == 200, result
        assert result.attempts == len(result.reached) >= 1


def test_our_own_hostile_urls_lead_to_no_connection_through_the_proxy() -> None:
    literals = [Case(f"http://{host}/") for host in INTERNAL]
    mixed = Case("http://mixed.example/", {"mixed.example": [["93.184.216.34", "10.0.0.1"]]})

    results = run_proxy_cases([*literals, mixed, Case("http://router.local/", {"router.local": [["10.0.0.1"]]})])

    assert [result for result in results if result.reached or result.attempts] == []


def test_a_redirect_is_passed_on_and_its_target_judged_when_the_browser_asks_for_it() -> None:
    (result,) = run_proxy_cases([Case(hop_url(0, "http://10.0.0.1/"))])

    assert result.answers[0] == 302
    assert set(result.reached) == {"93.184.216.30"}


def test_a_hostile_public_page_reaches_nothing_and_looks_nothing_up(chromium_program: Path, home: Path) -> None:
    guarded, control = run_browsers(chromium_program, home)

    assert guarded.outcome == control.outcome == "rendered hostile"
    assert guarded.reached == [PUBLIC_SITE]
    assert guarded.looked_up == 0
    assert set(control.reached) > {PUBLIC_SITE, "10.0.0.1", "192.168.1.1"}
    assert control.looked_up > 0
