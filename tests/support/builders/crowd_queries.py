"""What people of a crowd search for: a mix of queries for each, of words that stand in their own library."""

import random
from collections.abc import Iterator
from typing import Final, NamedTuple

from sqlalchemy import func, select

from kept.domain.account import Scope, User, Viewer
from kept.storage import tables
from kept.storage.database.engine import Connection
from support.builders.crowd import BEGIN, KANJI, WORDS, Crowd, library_id_of, user_id_of

# Words that stand in every other article, and words that few articles lack in a library.
FREQUENT: Final = WORDS[:20]
SAMPLE: Final = 30


class Person(NamedTuple):
    viewer: Viewer
    size: int


class Asked(NamedTuple):
    person: Person
    kind: str
    text: str


def choose_people(tx: Connection, crowd: Crowd, count: int, limit: int) -> list[Person]:
    """Half of them with libraries under the limit, from the smallest to the largest."""
    counted = select(tables.items.c.library_id, func.count().label("size")).group_by(tables.items.c.library_id)
    sizes = {row.library_id: row.size for row in tx.execute(counted)}
    everybody = sorted((sizes.get(library_id_of(at), 0), at) for at in range(crowd.people))
    small = [person for person in everybody if person[0] < limit]
    large = [person for person in everybody if person[0] >= limit]
    chosen = [*spread(small, count // 2), *spread(large, count // 2)]
    return [Person(make_viewer(at), size) for size, at in chosen]


def spread(found: list[tuple[int, int]], count: int) -> list[tuple[int, int]]:
    return found[:: max(1, len(found) // count)][-count:] if found else []


def make_viewer(person: int) -> Viewer:
    return Viewer(User(user_id_of(person), f"p{person}", False, BEGIN), frozenset(Scope))


def make_queries(tx: Connection, person: Person, chance: random.Random, each: int) -> Iterator[Asked]:
    """From a sample of the person's items, so that most queries find something."""
    held = select(tables.media.c.title, tables.fragments.c.canonical_text, tables.tags.c.name)
    held = held.select_from(tables.library_members).join(
        tables.items, tables.items.c.library_id == tables.library_members.c.library_id
    )
    held = held.join(tables.media, tables.media.c.id == tables.items.c.media_id)
    held = held.join(tables.fragments, tables.fragments.c.media_id == tables.media.c.id)
    held = held.join(tables.item_tags, tables.item_tags.c.item_id == tables.items.c.id)
    held = held.join(tables.tags, tables.tags.c.id == tables.item_tags.c.tag_id)
    held = held.where(tables.library_members.c.user_id == person.viewer.user_id)
    rows = [tuple(row) for row in tx.execute(held)]
    sample = chance.sample(rows, min(SAMPLE, len(rows)))
    plain = [row for row in sample if row[0].isascii()] or sample
    for _ in range(each):
        for kind, text in list_kinds(plain, sample, chance):
            yield Asked(person, kind, text)


def list_kinds(
    plain: list[tuple[str, ...]], sample: list[tuple[str, ...]], chance: random.Random
) -> Iterator[tuple[str, str]]:
    title, said, tag = chance.choice(plain)
    words = said.split()
    rarer = [word for word in words if len(word) >= 4] or words
    at = chance.randrange(max(1, len(words) - 4))
    japanese = [text for name, text, _ in sample if not name.isascii()] or ["".join(KANJI[:9])]
    pair = chance.choice(japanese)
    place = chance.randrange(len(pair.split()[0]) - 1)
    yield "rare word", f"{words[-1]} "
    yield "frequent word", f"{chance.choice(FREQUENT)} "
    yield "two words", f"{chance.choice(rarer)} {chance.choice(rarer)} "
    yield "two frequent words", f"{chance.choice(FREQUENT)} {chance.choice(FREQUENT)} "
    yield "phrase", f'"{" ".join(words[at : at + 4])}"'
    yield "two-letter prefix", chance.choice(title.split())[:2]
    yield "two CJK characters", pair[place : place + 2]
    yield "tag and word", f"tag:{tag} {chance.choice(rarer)} "
    yield "word being typed", chance.choice(rarer)[:5]
