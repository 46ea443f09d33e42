"""Nothing internal can be reached, counted by a listener where every address is local.

The HTTP client and the proxy's `dial` are tried with every URL; the hostile ones of the shared list where it is there,
our own wherever a network namespace can be made.
"""

import json
import os
from pathlib import Path

import pytest

from support.servers.any_address import Case, Result, find_namespace_command, hop_url, run_cases

SHARED = Path(os.environ.get("KEPT_TEST_SHARED") or Path(__file__).parents[4] / "shared") / "security"

pytestmark = [
    pytest.mark.skipif(
        find_namespace_command() is None,
        reason="NOT PROVEN HERE: network namespaces cannot be made (needs unshare, ip, and root or user namespaces)",
    ),
    pytest.mark.requirement("000", "FR-018", "US6.2", "SC-005"),
    pytest.mark.requirement("002", "§9 fetch hardening"),
    pytest.mark.requirement("003", "§8.1 SSRF"),
]

INTERNAL = [
    "127.0.0.1",
    "10.0.0.1",
    "172.16.0.1",
    "192.168.1.1",
    "169.254.169.254",
    "168.63.129.16",
    "100.100.100.200",
    "0.0.0.0",
    "[::1]",
    "[::ffff:10.0.0.1]",
    "[fd00:ec2::254]",
    "[64:ff9b::10.0.0.1]",
    "[2002:a00:1::1]",
    "0x7f.1",
    "2130706433",
]


def read_shared(name: str) -> list[Case]:
    path = SHARED / name
    if not path.is_file():
        pytest.skip(f"NOT PROVEN HERE: there is no {name}")
    rows = [json.loads(line) for line in path.read_text().splitlines()]
    return [Case(row["url"], {host: [answer] for host, answer in row["dns"].items()}) for row in rows]


def assert_nothing_was_reached(results: list[Result]) -> None:
    escaped = [result for result in results if result.reached or result.attempts or "fetched" in result.fetched]
    assert escaped == []


def test_no_hostile_url_of_the_shared_list_leads_to_a_connection() -> None:
    cases = read_shared("ssrf_payloads.jsonl")
    results = run_cases(cases)
    assert len(results) == len(cases) > 600
    assert_nothing_was_reached(results)


def test_every_harmless_url_of_the_shared_list_is_let_through() -> None:
    for result in run_cases(read_shared("ssrf_controls_allowed.jsonl")):
        assert (result.fetched, result.dialled) == (["fetched"], ["connected"]), result.url
        assert len(result.reached) == result.attempts == 2


def test_our_own_hostile_urls_lead_to_no_connection() -> None:
    literals = [Case(f"http://{host}/") for host in INTERNAL]
    names = [
        Case("http://evil.example/", {"evil.example": [[host.strip("[]")]]})
        for host in INTERNAL
        if host[0] == "[" or host.count(".") == 3
    ]
    mixed = [Case("http://mixed.example/", {"mixed.example": [["93.184.216.34", "10.0.0.1", "2606:4700::1"]]})]
    assert_nothing_was_reached(run_cases([*literals, *names, *mixed]))


@pytest.mark.parametrize("hops", range(6))
def test_a_redirect_into_the_inside_is_stopped_after_any_number_of_public_hops(hops: int) -> None:
    targets = [f"http://{host}/" for host in INTERNAL] + ["http://inside.example/", "http://router.local/"]
    inside = {"inside.example": [["192.168.1.1"]]}
    public = {f"93.184.216.{30 + hop}" for hop in range(6)}
    for result in run_cases([Case(hop_url(hops, target), inside) for target in targets]):
        *_, outcome = result.fetched
        last = {"forbidden_address", "forbidden_name"} if hops < 5 else {"too_many_redirects"}
        assert outcome in last, result
        assert set(result.reached) <= public, result
        assert result.attempts == len(result.reached) == hops + 2  # one of them is dial's


def test_a_public_page_that_redirects_within_the_public_web_is_fetched() -> None:
    (result,) = run_cases([Case(hop_url(4, "http://public.example/end"), {"public.example": [["93.184.216.99"]]})])
    assert result.fetched == ["fetched"]
    assert "93.184.216.99" in result.reached


@pytest.mark.parametrize(
    "turns",
    [
        [["93.184.216.34"], ["127.0.0.1"]],
        [["93.184.216.34"], ["10.0.0.1"], ["169.254.169.254"], ["::1"]],
        [["93.184.216.34", "10.0.0.1"], ["10.0.0.1", "93.184.216.34"]],
        [["2606:4700::1"], ["2606:4700::1", "fd00::1"]],
    ],
    ids=["rebinding", "rebinding often", "mixed", "mixed in turn"],
)
def test_a_name_that_changes_its_mind_never_leads_inside(turns: list[list[str]]) -> None:
    (result,) = run_cases([Case("http://rebind.example/", {"rebind.example": turns}, runs=100)])
    assert set(result.reached) <= {"93.184.216.34", "2606:4700::1"}
    assert len(result.fetched) == len(result.dialled) == 100
    assert "forbidden_address" in result.fetched + result.dialled
    assert result.attempts == len(result.reached)


def test_a_public_page_may_not_lead_to_what_the_operator_allowed() -> None:
    allow = ["127.0.0.1/32:8080"]
    own, foreign = run_cases(
        [Case("http://127.0.0.1:8080/", allow=allow), Case(hop_url(0, "http://127.0.0.1:8080/"), allow=allow)]
    )
    assert (own.fetched, own.reached) == (["fetched"], ["127.0.0.1"])
    assert foreign.fetched == ["forbidden_address"]
    assert set(foreign.reached) == {"93.184.216.30"}
