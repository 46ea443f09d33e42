"""Input for parsers made from good input: some bytes changed, some values replaced by odd ones. Seeded, so that what
failed fails again."""

import csv
import io
import json
import random
import zipfile
from collections.abc import Iterator
from typing import Any, Final

# Where a text is expected.
ODD_TEXTS: Final = (
    "",
    " " * 1000,
    "\x00",
    "\ud800",
    "\u202e\u0301",
    "²",
    "١٢٣",
    "-1",
    "1e400",
    "nan",
    "inf",
    "9" * 19,
    "9" * 5000,
    "0" * 5000 + "1",
    "&#" + "9" * 5000 + ";",
    "&#x" + "f" * 5000 + ";",
    "0001-01-01T00:00:00+14:00",
    "9999-12-31T23:59:59-14:00",
    "2020-01-01T00:00:00+24:00",
    "10000-01-01",
    "[" * 2000,
    "['a', (",
    "{}",
    "https://e.org/",
    "https://[::1",
    "javascript:1",
    "//",
    "../../x",
    "a/" * 200,
    "a" * 70_000,
)
# As they stand in a JSON file, for Python writes some of these in another way, or not at all.
ODD_JSON: Final = (
    "null",
    "true",
    "-1",
    "0.5",
    "1e999",
    "-1e999",
    "NaN",
    "Infinity",
    "9" * 400,
    "9" * 4300,
    "9" * 4301,
    "0." + "1" * 5000,
    "[]",
    "{}",
    "[[]]",
    "[{}]",
    "[null, 1, [], {}]",
    '{"name": []}',
    '{"id": 1, "name": "n", "parentId": 1}',
    "[" * 600 + "]" * 600,
    "[" * 960 + "]" * 960,
    '{"a":' * 960 + "1" + "}" * 960,
    *(json.dumps(text) for text in ODD_TEXTS),
)
ODD_BYTES: Final = (
    b"\x00",
    b"\xff\xfe",
    b"\xed\xa0\x80",
    b'"',
    b"'",
    b"<",
    b"<a ",
    b"<!--",
    b"&#" + b"9" * 5000 + b";",
    b"9" * 5000,
    b"\n",
    b",",
    b"[",
    b"{",
    b"e999",
    b"%",
    b"0001-01-01T00:00:00+14:00",
)
MARK: Final = "@odd@"


def mutate_bytes(data: bytes, chance: random.Random) -> bytes:
    """A few bytes changed, removed, repeated or put in between; or the end cut off."""
    changed = bytearray(data)
    for _ in range(chance.randint(1, 6)):
        at = chance.randrange(len(changed) + 1)
        match chance.randrange(5):
            case 0:
                changed[at : at + 1] = bytes([chance.randrange(256)])
            case 1:
                del changed[at : at + chance.randint(1, 40)]
            case 2:
                changed[at:at] = chance.choice(ODD_BYTES)
            case 3:
                start = chance.randrange(len(changed) + 1)
                changed[at:at] = changed[start : start + chance.randint(1, 200)]
            case _:
                if chance.random() < 0.2:
                    del changed[at:]
    return bytes(changed)


def mutate_text(text: str, chance: random.Random) -> str:
    if chance.random() < 0.2:
        return chance.choice(ODD_TEXTS)
    at = chance.randrange(len(text) + 1)
    if chance.random() < 0.5:
        return text[:at] + chance.choice(ODD_TEXTS) + text[at:]
    return mutate_bytes(text.encode("utf-8", "surrogatepass"), chance).decode("utf-8", "surrogateescape")


def mutate_file(data: bytes, chance: random.Random) -> bytes:
    """By what it is: the values of JSON and CSV, the entries of a zip; anything else byte by byte."""
    if chance.random() < 0.2:
        return mutate_bytes(data, chance)
    if data.startswith(b"PK"):
        return mutate_zip(data, chance)
    try:
        return b"\n".join(mutate_json(line, chance) for line in json_documents(data))
    except ValueError:
        pass
    first = data.partition(b"\n")[0]
    return mutate_csv(data, chance) if b"," in first and b"<" not in first else mutate_bytes(data, chance)


def json_documents(data: bytes) -> list[str]:
    """One, or one on each line."""
    try:
        return [json.dumps(json.loads(data))]
    except ValueError:
        return [json.dumps(json.loads(line)) for line in data.splitlines()]


def mutate_json(text: str, chance: random.Random) -> bytes:
    marked = json.dumps(mark_values(json.loads(text), chance))
    pieces = marked.split(f'"{MARK}"')
    return "".join(
        piece + (chance.choice(ODD_JSON) if number < len(pieces) - 1 else "") for number, piece in enumerate(pieces)
    ).encode("utf-8", "surrogatepass")


def mark_values(value: Any, chance: random.Random) -> Any:
    if chance.random() < 0.1:
        return MARK
    if isinstance(value, dict):
        return {key: mark_values(inner, chance) for key, inner in value.items() if chance.random() > 0.03}
    return [mark_values(inner, chance) for inner in value] if isinstance(value, list) else value


def mutate_csv(data: bytes, chance: random.Random) -> bytes:
    rows = list(csv.reader(io.StringIO(data.decode("utf-8", "replace"))))
    changed = [[chance.choice(ODD_TEXTS) if chance.random() < 0.15 else cell for cell in row] for row in rows[1:]]
    written = io.StringIO()
    csv.writer(written).writerows([*rows[:1], *changed])
    return written.getvalue().encode("utf-8", "surrogatepass")


def mutate_zip(data: bytes, chance: random.Random) -> bytes:
    target = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as source, zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as made:
        for number, name in enumerate(source.namelist()):
            inside = source.read(name)
            longer = name.replace("0", "9" * 4400, 1) if chance.random() < 0.05 else name
            called = f"{longer}{number}" if chance.random() < 0.02 else longer
            made.writestr(called, mutate_file(inside, chance) if chance.random() < 0.5 else inside)
    written = target.getvalue()
    return mutate_bytes(written, chance) if chance.random() < 0.1 else written


def seeds(name: str, count: int) -> Iterator[tuple[str, random.Random]]:
    """A generator for each try, and what to call it when the try fails."""
    for number in range(count):
        seed = f"{name} {number}"
        yield seed, random.Random(seed)
