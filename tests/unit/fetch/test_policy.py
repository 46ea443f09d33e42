"""Whom the policy lets us reach, and what the operator's allow list can and cannot open."""

from ipaddress import ip_address, ip_network

import pytest

from kept.config import Settings, parse_allowed_target
from kept.fetch.outcome import FetchReason
from kept.fetch.policy import EgressPolicy, Refusal, TrustLevel, next_trust_level
from kept.urls.address import AddressReason, HostReason
from kept.urls.url import get_url

OWN = ip_address("93.184.216.99")


def policy(*allow: str, deny: str = "192.0.2.0/32") -> EgressPolicy:
    return EgressPolicy(
        ports={80, 443, 8080},
        allow=[parse_allowed_target(text) for text in allow],
        deny=[ip_network(deny)],
        own_addresses=lambda: frozenset({OWN}),
    )


def judge(rules: EgressPolicy, url: str, *answers: str, trust_level: TrustLevel = TrustLevel.SAVED) -> Refusal | None:
    target = get_url(url)
    refusal = rules.judge_url(target, trust_level)
    addresses = [ip_address(text) for text in answers]
    return refusal or rules.judge_answer(target.host, target.port, addresses, trust_level)


def forbidden(kind: AddressReason) -> Refusal:
    return Refusal(FetchReason.FORBIDDEN_ADDRESS, kind)


def test_a_public_page_may_be_fetched() -> None:
    assert judge(policy(), "https://example.com/", "93.184.216.34", "2606:4700::1") is None


def test_an_unlisted_port_is_refused_before_the_dns_is_asked() -> None:
    assert policy().judge_url(get_url("https://example.com:22/"), TrustLevel.SAVED) == Refusal(
        FetchReason.FORBIDDEN_PORT
    )
    assert judge(policy(), "http://93.184.216.34:22/") == Refusal(FetchReason.FORBIDDEN_PORT)


@pytest.mark.parametrize(
    ("url", "reason"),
    [
        ("http://localhost/", HostReason.LOCALHOST),
        ("http://metadata.google.internal/", HostReason.LOCAL_NAME),
        ("http://nas.local:8080/", HostReason.LOCAL_NAME),
    ],
)
def test_a_local_name_is_refused_before_the_dns_is_asked(url: str, reason: HostReason) -> None:
    assert policy().judge_url(get_url(url), TrustLevel.SAVED) == Refusal(FetchReason.FORBIDDEN_NAME, reason)


def test_one_bad_answer_condemns_the_name() -> None:
    mixed = judge(policy(), "https://example.com/", "93.184.216.34", "10.0.0.1")
    assert mixed == forbidden(AddressReason.PRIVATE)


def test_an_address_of_this_machine_is_refused() -> None:
    assert judge(policy(), f"http://{OWN}/") == forbidden(AddressReason.OWN_ADDRESS)
    assert judge(policy(), f"http://[::ffff:{OWN}]/") == forbidden(AddressReason.OWN_ADDRESS)
    assert judge(policy(f"{OWN}/32:8080"), f"http://{OWN}:8080/") is None


def test_the_operator_can_deny_a_public_range() -> None:
    rules = policy("93.184.0.0/16:8080", deny="93.184.216.0/24")
    assert judge(rules, "http://93.184.216.34/") == forbidden(AddressReason.DENIED)
    assert judge(rules, "http://93.184.216.34:8080/") == forbidden(AddressReason.DENIED)


def test_the_allow_list_opens_one_port_of_one_range() -> None:
    rules = policy("127.0.0.1/32:9000")
    assert judge(rules, "http://127.0.0.1:9000/") is None
    assert judge(rules, "http://[::ffff:127.0.0.1]:9000/") is None
    assert judge(rules, "http://127.0.0.1:8080/") == forbidden(AddressReason.LOOPBACK)
    assert judge(rules, "http://127.0.0.2:9000/") == forbidden(AddressReason.LOOPBACK)


def test_the_allow_list_covers_ipv6_too() -> None:
    rules = policy("[fd12::/16]:9000")
    assert judge(rules, "http://[fd12::1]:9000/") is None
    assert judge(rules, "http://[fd13::1]:9000/") == forbidden(AddressReason.UNIQUE_LOCAL)


def test_a_local_name_may_lead_to_an_allowed_address_and_to_no_other() -> None:
    rules = policy("192.168.1.5/32:8080")
    assert judge(rules, "http://nas.local:8080/", "192.168.1.5") is None
    assert judge(rules, "http://nas.lan:8080/", "192.168.1.5") is None
    assert judge(rules, "http://nas.local:8080/", "192.168.1.6") == forbidden(AddressReason.PRIVATE)
    assert judge(rules, "http://nas.local:8080/", "93.184.216.34") == Refusal(
        FetchReason.FORBIDDEN_NAME, HostReason.LOCAL_NAME
    )


def test_the_allow_list_does_not_count_for_hosts_reached_otherwise() -> None:
    rules = policy("127.0.0.1/32:9000", "127.0.0.1/32:8080")
    for url in ("http://127.0.0.1:8080/", "http://127.0.0.1:9000/"):
        refusal = judge(rules, url, trust_level=TrustLevel.ELSEWHERE)
        assert refusal == forbidden(AddressReason.LOOPBACK)
    named = judge(rules, "http://evil.example:8080/", "127.0.0.1", trust_level=TrustLevel.ELSEWHERE)
    assert named == forbidden(AddressReason.LOOPBACK)
    assert judge(rules, "http://evil.example:9000/", trust_level=TrustLevel.ELSEWHERE) == Refusal(
        FetchReason.FORBIDDEN_PORT
    )


@pytest.mark.parametrize(
    "address",
    [
        "169.254.169.254",
        "169.254.170.2",
        "168.63.129.16",
        "100.100.100.200",
        "192.0.0.192",
        "[fd00:ec2::254]",
        "[fd20:ce::254]",
        "[fe80::a9fe:a9fe]",
        "[::ffff:a9fe:a9fe]",
        "[64:ff9b::a9fe:a9fe]",
        "[2002:a9fe:a9fe::]",
        "[::a9fe:a9fe]",
        "0.0.0.0",
        "224.0.0.1",
    ],
)
def test_the_allow_list_never_covers_metadata_or_disguises(address: str) -> None:
    rules = policy("0.0.0.0/0:80", "[::/0]:80")
    assert judge(rules, f"http://{address}/") is not None
    assert judge(rules, "http://10.0.0.1/") is None


def test_standing_is_lost_with_the_first_hop_elsewhere_and_not_regained() -> None:
    saved, other = get_url("http://nas:8080/a"), get_url("https://example.com/")
    deeper = get_url("https://nas/b")
    assert next_trust_level(TrustLevel.SAVED, saved, deeper) is TrustLevel.SAVED
    left = next_trust_level(TrustLevel.SAVED, saved, other)
    assert left is TrustLevel.ELSEWHERE
    assert next_trust_level(left, saved, deeper) is TrustLevel.ELSEWHERE


def test_settings_make_a_policy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KEPT_FETCH_ALLOW", "127.0.0.0/8:9000,[::1/128]:9001")
    monkeypatch.setenv("KEPT_FETCH_DENY", "93.184.216.0/24, 2606:4700::/32")
    rules = EgressPolicy.from_settings(Settings())
    assert judge(rules, "http://127.0.0.1:9000/") is None
    assert judge(rules, "http://[::1]:9001/") is None
    assert judge(rules, "http://[2606:4700::1]/") == forbidden(AddressReason.DENIED)
    assert judge(rules, "https://8.8.8.8/") is None
