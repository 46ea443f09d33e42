"""What kind of address or name this is, from explicit ranges; `fetch.policy` decides which may be reached.

Python's own `IPv4Address.is_global` serves other ends: it lets multicast, NAT64, 6to4 and 168.63.129.16 pass.
"""

from enum import StrEnum
from ipaddress import IPv4Network, IPv6Address, IPv6Network, ip_network
from typing import Final

from kept.urls.host import IPAddress


class AddressReason(StrEnum):
    """What an address is for. Only PUBLIC may be fetched by everyone."""

    PUBLIC = "public"
    THIS_NETWORK = "this_network"
    LOOPBACK = "loopback"
    PRIVATE = "private"
    SHARED = "shared"
    METADATA = "metadata"
    LINK_LOCAL = "link_local"
    UNIQUE_LOCAL = "unique_local"
    PROTOCOL = "protocol"
    DOCUMENTATION = "documentation"
    BENCHMARKING = "benchmarking"
    AS112 = "as112"
    RELAY = "relay"
    SIX_TO_FOUR = "six_to_four"
    NAT64 = "nat64"
    TEREDO = "teredo"
    ISATAP = "isatap"
    RETIRED = "retired"
    MULTICAST = "multicast"
    RESERVED = "reserved"
    NOT_GLOBAL = "not_global"
    ZONED = "zoned"
    # Only the policy returns these two: it knows this machine and its operator.
    OWN_ADDRESS = "own_address"
    DENIED = "denied"


class HostReason(StrEnum):
    """What a host name is for. Only PUBLIC is worth asking the DNS about."""

    PUBLIC = "public_name"
    LOCALHOST = "localhost"
    LOCAL_NAME = "local_name"


# The first range that contains the address decides, so a narrow one comes before the wide one around it.
IPV4_RANGES: Final[tuple[tuple[IPv4Network, AddressReason], ...]] = tuple(
    (IPv4Network(network), reason)
    for network, reason in (
        ("169.254.0.0/16", AddressReason.METADATA),  # link-local; most clouds' metadata services are here
        ("168.63.129.16/32", AddressReason.METADATA),  # Azure's, in public space
        ("100.100.100.200/32", AddressReason.METADATA),  # Alibaba's, in shared space
        ("192.0.0.192/32", AddressReason.METADATA),  # Oracle's, in protocol space
        ("0.0.0.0/8", AddressReason.THIS_NETWORK),  # Linux takes 0.0.0.0 for loopback
        ("10.0.0.0/8", AddressReason.PRIVATE),
        ("100.64.0.0/10", AddressReason.SHARED),  # carriers' NAT, and Tailscale
        ("127.0.0.0/8", AddressReason.LOOPBACK),
        ("172.16.0.0/12", AddressReason.PRIVATE),
        ("192.0.0.0/24", AddressReason.PROTOCOL),
        ("192.0.2.0/24", AddressReason.DOCUMENTATION),
        ("192.31.196.0/24", AddressReason.AS112),  # answered by the nearest server, often an internal one
        ("192.52.193.0/24", AddressReason.RELAY),  # multicast relays, anycast
        ("192.88.99.0/24", AddressReason.SIX_TO_FOUR),  # the retired relays of 6to4
        ("192.168.0.0/16", AddressReason.PRIVATE),
        ("192.175.48.0/24", AddressReason.AS112),
        ("198.18.0.0/15", AddressReason.BENCHMARKING),
        ("198.51.100.0/24", AddressReason.DOCUMENTATION),
        ("203.0.113.0/24", AddressReason.DOCUMENTATION),
        ("224.0.0.0/4", AddressReason.MULTICAST),
        ("240.0.0.0/4", AddressReason.RESERVED),  # includes 255.255.255.255
    )
)

# Everything outside 2000::/3 is refused anyway: ranges there only say why, the rest is NOT_GLOBAL.
IPV6_RANGES: Final[tuple[tuple[IPv6Network, AddressReason], ...]] = tuple(
    (IPv6Network(network), reason)
    for network, reason in (
        ("fd00:ec2::/32", AddressReason.METADATA),  # Amazon's: ::254, ::23, ::253
        ("fd20:ce::/32", AddressReason.METADATA),  # Google's: ::254
        ("fd00:42::/32", AddressReason.METADATA),  # Scaleway's: ::42
        ("::/128", AddressReason.THIS_NETWORK),
        ("::1/128", AddressReason.LOOPBACK),
        ("64:ff9b::/96", AddressReason.NAT64),  # an IPv4 address in disguise, and the gateway may be inside
        ("64:ff9b:1::/48", AddressReason.NAT64),
        ("fc00::/7", AddressReason.UNIQUE_LOCAL),
        ("fe80::/10", AddressReason.LINK_LOCAL),
        ("ff00::/8", AddressReason.MULTICAST),
        ("2001::/32", AddressReason.TEREDO),
        ("2001::/23", AddressReason.PROTOCOL),
        ("2001:db8::/32", AddressReason.DOCUMENTATION),
        ("2002::/16", AddressReason.SIX_TO_FOUR),
        ("2620:4f:8000::/48", AddressReason.AS112),
        ("3ffe::/16", AddressReason.RETIRED),  # the 6bone
        ("3fff::/20", AddressReason.DOCUMENTATION),
    )
)
GLOBAL_IPV6: Final = ip_network("2000::/3")

# An interface identifier that carries an IPv4 address (RFC 5214), with and without the "universal" bit.
ISATAP_MARKS: Final = frozenset({0x00005EFE, 0x02005EFE})

LOCALHOST_NAMES: Final = (".localhost", ".localdomain")
# Names of multicast DNS, of clouds and Docker, and of home networks (RFC 8375).
LOCAL_NAMES: Final = (".local", ".internal", ".home.arpa")


def classify_address(address: IPAddress) -> AddressReason:
    address = unwrap(address)
    if isinstance(address, IPv6Address):
        return classify_ipv6(address)
    return next((reason for network, reason in IPV4_RANGES if address in network), AddressReason.PUBLIC)


def unwrap(address: IPAddress) -> IPAddress:
    """Return 192.0.2.1 for `::ffff:192.0.2.1`, which goes over the wire as that, so that it is judged as that."""
    if isinstance(address, IPv6Address) and address.scope_id is None and address.ipv4_mapped is not None:
        return address.ipv4_mapped
    return address


def classify_ipv6(address: IPv6Address) -> AddressReason:
    if address.scope_id is not None:
        return AddressReason.ZONED
    for network, reason in IPV6_RANGES:
        if address in network:
            return reason
    if address not in GLOBAL_IPV6:
        return AddressReason.NOT_GLOBAL
    return AddressReason.ISATAP if (int(address) >> 32) & 0xFFFFFFFF in ISATAP_MARKS else AddressReason.PUBLIC


def classify_host_name(name: str) -> HostReason:
    """Classify a name as it is in a `NormalisedUrl`: lower-case, without a final dot."""
    dotted = f".{name}"
    if dotted.endswith(LOCALHOST_NAMES):
        return HostReason.LOCALHOST
    return HostReason.LOCAL_NAME if dotted.endswith(LOCAL_NAMES) else HostReason.PUBLIC
