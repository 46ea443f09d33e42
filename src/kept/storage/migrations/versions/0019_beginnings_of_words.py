"""Search on SQLite: an index of the first one, two and three letters of words, where they are searched for.

The words are copied as the old index has them; about a minute for 300,000 pages and a million items. Without it, FTS5
puts together the rows of all words that begin so: 36 ms for two letters in the cards of 300,000 pages.

Revision ID: 0019
Revises: 0018
"""

from collections.abc import Iterable, Iterator
from itertools import groupby, islice
from operator import itemgetter

from alembic import op

revision = "0019"
down_revision = "0018"
branch_labels = None
depends_on = None

# Not the texts of articles: there beginnings have four letters and more.
INDEXES = {
    "item_words": ("title", "note", "url", "site"),
    "card_words": ("title", "about"),
    "highlight_words": ("quote", "note"),
}
CREATE = """
CREATE VIRTUAL TABLE new_words USING fts5(
  {fields}, content='', contentless_delete=1, prefix='1 2 3', tokenize="ascii tokenchars '.:-_'"
)
"""
AT_ONCE = 10_000
# The number of a row, a field, a word.
Instance = tuple[int, str, str]


def upgrade() -> None:
    if op.get_context().dialect.name != "sqlite":  # an index of PostgreSQL has words in their order
        return
    for name, fields in INDEXES.items():
        copy(name, fields)


def copy(name: str, fields: tuple[str, ...]) -> None:
    cursor, reading = (op.get_bind().connection.cursor() for _ in range(2))
    cursor.execute(CREATE.format(fields=", ".join(fields)))
    cursor.execute(f"CREATE VIRTUAL TABLE temp.old_words USING fts5vocab(main, {name}, instance)")
    reading.execute('SELECT doc, col, term FROM temp.old_words ORDER BY doc, col, "offset"')
    put = f"INSERT INTO new_words (rowid, {', '.join(fields)}) VALUES (?{', ?' * len(fields)})"  # noqa: S608 our own
    rows = list_rows(iter(reading.fetchone, None), fields)
    while some := list(islice(rows, AT_ONCE)):
        cursor.executemany(put, some)
    reading.close()
    cursor.execute("DROP TABLE temp.old_words")
    cursor.execute(f"DROP TABLE {name}")
    cursor.execute(f"ALTER TABLE new_words RENAME TO {name}")


def list_rows(instances: Iterable[Instance], fields: tuple[str, ...]) -> Iterator[tuple[int | str, ...]]:
    for number, words in groupby(instances, itemgetter(0)):
        said = {field: " ".join(map(itemgetter(2), some)) for field, some in groupby(words, itemgetter(1))}
        yield (number, *(said.get(field, "") for field in fields))
