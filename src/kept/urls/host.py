"""The host part of a URL: names by UTS #46, addresses in every spelling a browser would take for one. Only `urls.url`
calls this; everyone else sees hosts as part of a `NormalisedUrl`."""

import re
from ipaddress import AddressValueError, IPv4Address, IPv6Address
from typing import Final, NamedTuple

import idna

IPAddress = IPv4Address | IPv6Address

MAX_HOST_LENGTH: Final = 253
# Standards forbid underscores in host names, yet real sites have them and browsers visit them.
HOST_NAME: Final = re.compile(r"[a-z0-9_-]{1,63}(?:\.[a-z0-9_-]{1,63})*")
DIGITS: Final = {8: frozenset("01234567"), 10: frozenset("0123456789"), 16: frozenset("0123456789abcdef")}


class Host(NamedTuple):
    """A host in its one spelling: lower-case ASCII, without brackets; `address` if it is no name."""

    text: str
    address: IPAddress | None

    def __str__(self) -> str:
        return f"[{self.text}]" if isinstance(self.address, IPv6Address) else self.text


def find_host(text: str) -> Host | None:
    """Return the host that `text` (what is between `//` and the port) means to a browser, if it means one."""
    if text.startswith("["):
        return find_ipv6_host(text)
    name = find_ascii_name(text)
    if name is None:
        return None
    if not ends_in_a_number(name):
        return Host(name, None)
    address = find_ipv4(name)
    return Host(str(address), address) if address is not None else None


def find_ipv6_host(text: str) -> Host | None:
    if not text.endswith("]"):
        return None
    try:
        address = IPv6Address(text[1:-1])
    except AddressValueError:
        return None
    return Host(spell_ipv6(address), address) if address.scope_id is None else None


def spell_ipv6(address: IPv6Address) -> str:
    """Write the address as browsers do; `str()` of a mapped address differs between versions of Python."""
    mapped = address.ipv4_mapped
    if mapped is None:
        return address.compressed
    return f"::ffff:{int(mapped) >> 16:x}:{int(mapped) & 0xFFFF:x}"


def find_ascii_name(text: str) -> str | None:
    try:
        name = text.lower() if text.isascii() else map_to_ascii(text)
    except UnicodeError:  # idna's own errors are UnicodeErrors too
        return None
    name = name.removesuffix(".")  # the final dot changes only the spelling
    return name if len(name) <= MAX_HOST_LENGTH and HOST_NAME.fullmatch(name) else None


def map_to_ascii(text: str) -> str:
    return ".".join(to_ascii_label(label) for label in idna.uts46_remap(text, std3_rules=False).split("."))


def to_ascii_label(label: str) -> str:
    if label.isascii():
        return label
    try:
        return idna.alabel(label).decode("ascii")
    except idna.InvalidCodepoint:
        # IDNA 2008 has no emoji; UTS #46 (which has already passed this label) and every browser do.
        return f"xn--{label.encode('punycode').decode('ascii')}"


def ends_in_a_number(name: str) -> bool:
    """Tell an address from a name as browsers do: `127.1` and `0x7f.1` are addresses, `1.example` is not."""
    last = name.rpartition(".")[2]
    return last.isdecimal() or find_ipv4_number(last) is not None


def find_ipv4(name: str) -> IPv4Address | None:
    """Parse by the WHATWG standard: one to four numbers, decimal, octal or hex; the last fills what is left."""
    parts = name.split(".")
    numbers = [number for part in parts if (number := find_ipv4_number(part)) is not None]
    if len(numbers) != len(parts) or len(parts) > 4:
        return None
    *leading, last = numbers
    if any(number > 255 for number in leading) or last >= 256 ** (5 - len(numbers)):
        return None
    return IPv4Address(last + sum(number << (8 * (3 - index)) for index, number in enumerate(leading)))


def find_ipv4_number(part: str) -> int | None:
    if part.startswith("0x"):
        digits, radix = part[2:] or "0", 16
    elif part.startswith("0") and len(part) > 1:
        digits, radix = part[1:], 8
    else:
        digits, radix = part, 10
    return int(digits, radix) if digits and DIGITS[radix].issuperset(digits) else None
