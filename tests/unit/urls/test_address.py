"""Addresses and names by kind, at the edges of every range."""

from ipaddress import IPv4Address, ip_address

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kept.urls.address import AddressReason, HostReason, classify_address, classify_host_name

KINDS = {
    AddressReason.THIS_NETWORK: ["0.0.0.0", "0.255.255.255", "::"],
    AddressReason.LOOPBACK: ["127.0.0.0", "127.255.255.255", "::1"],
    AddressReason.PRIVATE: [
        "10.0.0.0",
        "10.255.255.255",
        "172.16.0.0",
        "172.31.255.255",
        "192.168.0.0",
        "192.168.255.255",
    ],
    AddressReason.SHARED: ["100.64.0.0", "100.127.255.255", "100.100.100.199"],
    AddressReason.METADATA: [
        "169.254.0.0",
        "169.254.169.254",
        "169.254.255.255",
        "168.63.129.16",
        "100.100.100.200",
        "192.0.0.192",
        "fd00:ec2::254",
        "fd20:ce::254",
        "::ffff:169.254.169.254",
    ],
    AddressReason.LINK_LOCAL: ["fe80::1", "febf::1", "fe80::a9fe:a9fe"],
    AddressReason.UNIQUE_LOCAL: ["fc00::", "fdff:ffff::1"],
    AddressReason.PROTOCOL: ["192.0.0.0", "192.0.0.255", "2001:1::", "2001:1ff:ffff::"],
    AddressReason.DOCUMENTATION: [
        "192.0.2.0",
        "198.51.100.255",
        "203.0.113.0",
        "2001:db8::",
        "2001:db8:ffff::",
        "3fff::",
        "3fff:fff:ffff::",
    ],
    AddressReason.BENCHMARKING: ["198.18.0.0", "198.19.255.255"],
    AddressReason.AS112: ["192.31.196.0", "192.175.48.255", "2620:4f:8000::1"],
    AddressReason.RELAY: ["192.52.193.0"],
    AddressReason.SIX_TO_FOUR: ["192.88.99.1", "2002::", "2002:7f00:1::"],
    AddressReason.NAT64: ["64:ff9b::7f00:1", "64:ff9b:1::7f00:1"],
    AddressReason.TEREDO: ["2001::1", "2001:0:ffff::"],
    AddressReason.ISATAP: ["2606:4700::5efe:7f00:1", "2606:4700::200:5efe:10.0.0.1"],
    AddressReason.RETIRED: ["3ffe::", "3ffe:ffff::"],
    AddressReason.MULTICAST: ["224.0.0.0", "239.255.255.255", "ff02::1"],
    AddressReason.RESERVED: ["240.0.0.0", "255.255.255.255"],
    AddressReason.NOT_GLOBAL: [
        "::7f00:1",
        "::ffff:0:7f00:1",
        "100::1",
        "4000::1",
        "1fff::",
        "fec0::1",
        "5f00::",
    ],
    AddressReason.ZONED: ["fe80::1%eth0", "2606:4700::1%1"],
    AddressReason.PUBLIC: [
        "1.1.1.1",
        "11.0.0.0",
        "100.63.255.255",
        "100.128.0.0",
        "126.255.255.255",
        "128.0.0.0",
        "168.63.129.15",
        "168.63.129.17",
        "169.253.255.255",
        "169.255.0.0",
        "172.15.255.255",
        "172.32.0.0",
        "192.88.100.0",
        "198.17.255.255",
        "198.20.0.0",
        "223.255.255.255",
        "2000::",
        "2001:200::",
        "2606:4700:4700::1111",
        "3ffd::1",
        "::ffff:8.8.8.8",
    ],
}


@pytest.mark.parametrize(("text", "reason"), [(text, reason) for reason, texts in KINDS.items() for text in texts])
def test_an_address_is_classified(text: str, reason: AddressReason) -> None:
    assert classify_address(ip_address(text)) is reason


@given(st.ip_addresses(v=4))
def test_mapping_into_ipv6_changes_no_verdict(address: IPv4Address) -> None:
    assert classify_address(ip_address(f"::ffff:{address}")) is classify_address(address)


@given(st.ip_addresses(v=4))
def test_nothing_the_standard_library_calls_private_is_public(address: IPv4Address) -> None:
    if address.is_private or address.is_multicast or address.is_reserved:
        assert classify_address(address) is not AddressReason.PUBLIC


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("localhost", HostReason.LOCALHOST),
        ("a.localhost", HostReason.LOCALHOST),
        ("localhost.localdomain", HostReason.LOCALHOST),
        ("printer.local", HostReason.LOCAL_NAME),
        ("metadata.google.internal", HostReason.LOCAL_NAME),
        ("host.docker.internal", HostReason.LOCAL_NAME),
        ("nas.home.arpa", HostReason.LOCAL_NAME),
        ("internal", HostReason.LOCAL_NAME),
        ("example.com", HostReason.PUBLIC),
        ("mylocal", HostReason.PUBLIC),
        ("notlocalhost", HostReason.PUBLIC),
        ("local.example.com", HostReason.PUBLIC),
    ],
)
def test_a_name_is_classified(name: str, reason: HostReason) -> None:
    assert classify_host_name(name) is reason
