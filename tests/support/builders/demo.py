"""A library worth looking at: pages with pictures, tags, articles, failures, in several scripts. Made through storage,
for tests of pages and for screenshots."""

import io
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID, uuid5

from PIL import Image, ImageDraw

from kept.content.article.canonical import canonical_text
from kept.content.article.safe_html import SafeHtml
from kept.domain.attempt import AttemptRecord, Via
from kept.domain.item import ReadingState
from kept.domain.lifecycle import EnrichmentStatus, ProcessingStatus, begin
from kept.ids import new_id
from kept.services.maintenance.search_index import reindex
from kept.storage import items, libraries, lifecycles, media, tables
from kept.storage.blobs.store import BlobStore
from kept.storage.database.engine import Connection, Database
from support.fixtures.transactions import writing

NOW = datetime.now(UTC)

ESSAY = """<p>There is a kind of patience that only shows itself in workshops. The clock on the wall is right, and
nobody looks at it. A plane takes a shaving from an oak board; the shaving falls; the board is a hair thinner, and so,
somehow, is the afternoon. I have watched my neighbour work like this for eleven years, and only last winter did I
understand what he was doing.</p>
<p>He was not making tables. He was <em>keeping</em> them: the way his teacher had cut a joint, the way a drawer ought
to sound when it closes. When I asked him why he did not write it down, he laughed. “I do,” he said, and ran his thumb
along the edge of the board.</p>
<h2>What a joint remembers</h2>
<p>A mortise and tenon is an argument about wood that has been going on for <strong>seven thousand years</strong>. The
oldest we know were found in a well near Leipzig, cut with stone tools, and they still fit. See
<a href="https://example.org/wells" target="_blank" rel="noopener noreferrer" referrerpolicy="no-referrer">the
report on the wells</a> for drawings.</p>
<figure><img src="/api/images/{picture}" alt="A workbench by a window" width="1200" height="675"><figcaption>The bench
by the north window. The vice is older than the house.</figcaption></figure>
<blockquote><p>The tool is a letter from somebody who had the same trouble that you have now.</p></blockquote>
<p>There are three things one checks before glue:</p>
<ul><li>that the shoulders close without light between them,</li><li>that the tenon slides under the weight of a hand
and not of a hammer,</li><li>that one has had lunch.</li></ul>
<h2>A table of tables</h2>
<table><thead><tr><th>Wood</th><th>Density, kg/m³</th><th>Movement across the grain</th><th>Good for</th><th>Bad
for</th><th>Grows in</th></tr></thead><tbody><tr><td>Oak</td><td>720</td><td>4.0 %</td><td>Tables, boats,
doors</td><td>Knees</td><td>Europe, North America</td></tr><tr><td>Ash</td><td>690</td><td>4.9 %</td><td>Handles,
chairs</td><td>Anything outdoors</td><td>Europe</td></tr><tr><td>Walnut</td><td>640</td><td>5.5 %</td><td>Cabinets,
showing off</td><td>Budgets</td><td>Europe, Asia</td></tr></tbody></table>
<p>He keeps these numbers on a scrap of paper, and the program that draws his plans keeps them like this:</p>
<pre><code>def shrinkage(width_mm: float, wood: Wood, *, from_humidity: float, to_humidity: float) -> float:
    # one per cent of moisture moves the board by its coefficient, below the fibre saturation point
    return width_mm * wood.coefficient * (to_humidity - from_humidity)
</code></pre>
<p>I do not think that he has ever run it. The board knows already.</p>
<hr>
<p>In March the table went to the school. It has sixteen seats and no screws. Somebody will carve a name into it within
the year, and he has left the surface a millimetre thick for that.</p>
""".replace("->", "-&gt;")

ARABIC = (
    "<p>في كل مكتبةٍ قديمة رائحةٌ لا تشبه غيرها: ورقٌ وغبارٌ وصمت. كان جدّي يقول إن الكتاب الذي لا يُعار كتابٌ ميت.</p>"
    "<h2>الرفّ الأول</h2><p>على الرفّ الأول كتبُ السفر، وعلى الثاني كتبُ الحساب، أما الثالث فكان فارغًا دائمًا:"
    " «هذا لما سيأتي»، كان يقول.</p>"
)
JAPANESE = (
    "<p>古い図書館には、ほかのどこにもない匂いがある。紙と埃と、静けさの匂いだ。"
    "祖父はよく言っていた。貸し出されない本は、死んだ本だと。</p><h2>最初の棚</h2>"
    "<p>最初の棚には旅の本、二番目の棚には算術の本。三番目はいつも空だった。"
    "「これから来るもののために」と祖父は言った。</p>"
)


@dataclass(frozen=True)
class Page:
    title: str | None
    site: str | None
    url: str
    excerpt: str | None = None
    tags: tuple[str, ...] = ()
    words: int | None = None
    picture: tuple[str, str] | None = None
    lang: str | None = "en"
    html: str | None = None
    reading: ReadingState = field(default_factory=ReadingState)
    failure: tuple[str, str] | None = None
    byline: str | None = None
    is_pending: bool = False


PAGES = (
    Page(
        "The patience of workshops",
        "The Long Afternoon",
        "https://longafternoon.example/patience",
        "A clock that nobody looks at, a board that gets thinner, and seven thousand years of arguing about wood.",
        ("craft", "essay"),
        1840,
        ("#8a5a2b", "#e8cfa0"),
        html=ESSAY,
        byline="Mara Lindqvist",
    ),
    Page(
        "How the tide tables were computed by brass",
        "Harbour Notes",
        "https://harbour.example/tides",
        "Before computers, a machine with forty pulleys predicted the sea for ports on five continents. It still runs.",
        ("history", "machines"),
        3120,
        ("#1d4e6b", "#9cc7d8"),
        html=ESSAY,
        reading=ReadingState(is_favourite=True, progress=0.42),
    ),
    Page(
        "A small database that fits in your head",
        "notes on systems",
        "https://systems.example/small-database",
        "B-trees, write-ahead logs and fsync, explained with nothing but a notebook and a very slow disk.",
        ("databases", "programming"),
        5400,
        None,
        html=ESSAY,
    ),
    Page(
        "المكتبة التي لا تُغلق",
        "رفوف",
        "https://rufuf.example/library",
        "عن الكتب التي تُعار ولا تعود، وعن الرفّ الذي بقي فارغًا.",
        ("books",),
        640,
        None,
        lang="ar",
        html=ARABIC,
    ),
    Page(
        "Bread, and the weather inside it",
        "Kitchen Physics",
        "https://kitchen.example/bread",
        "Why a loaf rises twice, why it cracks where it cracks, and what the oven's first four minutes decide.",
        ("cooking", "science"),
        2210,
        ("#b4672d", "#f3dcb4"),
        html=ESSAY,
    ),
    Page(
        "祖父の本棚",
        "紙の家",
        "https://kami.example/bookshelf",
        "三番目の棚はいつも空だった。「これから来るもののために」。",
        ("books",),
        820,
        ("#7a2e2e", "#eab9a0"),
        lang="ja",
        html=JAPANESE,
    ),
    Page(
        "Night trains are coming back, slowly",
        "Slow Travel Review",
        "https://slowtravel.example/night-trains",
        "Eleven new lines, forty-year-old carriages, and one very stubborn timetable planner in Vienna.",
        ("travel",),
        1650,
        ("#22264d", "#8c87c9"),
        html=ESSAY,
        reading=ReadingState(read_at=NOW - timedelta(days=1), progress=1.0),
    ),
    Page(
        None,
        None,
        "https://journal.example/2026/a-page-behind-a-challenge",
        None,
        failure=("E_EXTRACT_CHALLENGE", "The site asks visitors to prove that they are human."),
    ),
    Page("Letters from a lighthouse", "Coastwise", "https://coastwise.example/letters", None, is_pending=True),
    Page(
        "What moss knows about time",
        "Field & Understorey",
        "https://understorey.example/moss",
        "Four hundred million years of staying small: a walk through a wood where nothing has hurried since the ice.",
        ("nature", "science"),
        1980,
        ("#35502a", "#c3d29a"),
        html=ESSAY,
    ),
    Page(
        "Typesetting a page that wants to be read",
        "Margins",
        "https://margins.example/typesetting",
        "Measure, leading and the colour of a paragraph. With exercises for patient eyes.",
        ("essay", "typography"),
        2750,
        None,
        html=ESSAY,
    ),
    Page(
        "Annual report 2025",
        "example.org",
        "https://example.org/report.pdf",
        None,
        failure=("E_FETCH_KIND_MISMATCH_PDF", "This is a PDF file, not a web page."),
    ),
)


def paint(dark: str, light: str, number: int) -> bytes:
    """A quiet landscape: sky, sun, three hills."""
    picture = Image.new("RGB", (640, 360), light)
    draw = ImageDraw.Draw(picture, "RGBA")
    draw.ellipse((420 - number * 31 % 300, 40, 500 - number * 31 % 300, 120), fill="#ffffffb0")
    for step, alpha in enumerate(("50", "90", "ff")):
        top = 170 + step * 55
        bends = [(x, top + ((x * (7 + step) + number * 53) % 97) * 0.45) for x in range(0, 721, 80)]
        draw.polygon([(0, 360), *bends, (640, 360)], fill=dark + alpha)
    out = io.BytesIO()
    picture.save(out, "webp", quality=80)
    return out.getvalue()


async def stock(database: Database, blobs: BlobStore, user_id: UUID, pages: tuple[Page, ...] = PAGES) -> list[UUID]:
    """Puts the pages into a user's own library, the first the newest. The items' ids, in the same order."""
    pictures = {number: paint(*page.picture, number) for number, page in enumerate(pages) if page.picture is not None}
    with writing(database) as tx:
        library_id = libraries.get_default_library_id(tx, user_id)
        made = [
            put(tx, library_id, user_id, page, NOW - timedelta(hours=7 * number, minutes=4), number in pictures)
            for number, page in enumerate(pages)
        ]
    for number, (_, media_id) in enumerate(made):
        if number in pictures:
            await blobs.put(thumbnail_key(media_id), pictures[number], "image/webp")
        await blobs.put(picture_key(media_id), paint("#5b4632", "#e9dcc3", number), "image/webp")
    await reindex(database)
    return [item_id for item_id, _ in made]


def thumbnail_key(media_id: UUID) -> str:
    return f"thumbnails/{media_id.hex}.webp"


def picture_key(media_id: UUID) -> str:
    return f"pictures/{media_id.hex}.webp"


def id_at(at: datetime) -> UUID:
    """As if it had been made then: what an item's id tells of its time decides which times its people are told."""
    return UUID(int=(round(at.timestamp() * 1000) << 80) | (new_id().int & ((1 << 80) - 1)))


def picture_id(media_id: UUID) -> UUID:
    return uuid5(media_id, "picture")


def put(
    tx: Connection, library_id: UUID, user_id: UUID, page: Page, at: datetime, has_picture: bool
) -> tuple[UUID, UUID]:
    media_id, item_id = new_id(), id_at(at)
    columns: dict[str, Any] = {
        "title": page.title,
        "excerpt": page.excerpt,
        "site_name": page.site,
        "byline": page.byline,
        "lang": page.lang,
        "word_count": page.words,
        "thumbnail_key": thumbnail_key(media_id) if has_picture else None,
    }
    media.insert_media(tx, media_id, page.url, ProcessingStatus.PENDING, at, **columns)
    lifecycles.insert_transition(tx, begin(media_id, ProcessingStatus.PENDING, at=at))
    item = {"id": item_id, "library_id": library_id, "media_id": media_id, "url": page.url, "added_by": user_id}
    tx.execute(tables.items.insert().values(**item, created_at=at, updated_at=at))
    items.add_tags(tx, library_id, item_id, page.tags)
    if not page.is_pending:
        finish(tx, media_id, page, at)
    if page.reading != ReadingState():
        items.put_reading_state(tx, user_id, media_id, page.reading, at)
    return item_id, media_id


def finish(tx: Connection, media_id: UUID, page: Page, at: datetime) -> None:
    """What a worker would have done."""
    state = lifecycles.find_state(tx, media_id)
    assert state is not None
    found = ("title", "excerpt") if page.title else ()
    fetched = AttemptRecord(via=Via.HTTP, http_status=200, redirects=2, fetch_ms=310, found=found)
    later = at + timedelta(seconds=1)
    state = lifecycles.apply_move(tx, state, EnrichmentStatus.PENDING, at=at, record=fetched)
    state = lifecycles.apply_move(
        tx, state, ProcessingStatus.EXTRACTING, at=later, record=AttemptRecord(attempt=1), processing_attempts=1
    )
    if page.failure:
        code, message = page.failure
        told = {"failure_code": code, "failure_message": message, "failure_stage": "extract"}
        said = AttemptRecord(code=code, message=message, attempt=1, via=Via.HTTP, fetch_ms=420, http_status=403)
        lifecycles.apply_move(tx, state, ProcessingStatus.FAILED, at=later, record=said, failed_at=later, **told)
        return
    safe = SafeHtml.admit((page.html or "<p>Words.</p>").replace("{picture}", str(picture_id(media_id))))
    assert safe is not None, "the demo article must be what sanitise writes"
    media.insert_fragment(tx, media_id, safe, canonical_text(safe), 1, later)
    kept = {"id": picture_id(media_id), "media_id": media_id, "origin_url": "https://example.org/p.webp"}
    shown = {"blob_key": picture_key(media_id), "content_type": "image/webp"}
    tx.execute(tables.image_assets.insert().values(**kept, **shown, created_at=later))
    done = AttemptRecord(via=Via.SNAPSHOT, extract_ms=41)
    state = lifecycles.apply_move(tx, state, ProcessingStatus.READY_FOR_READING, at=later, record=done)
    screenshot = AttemptRecord(via=Via.BROWSER, fetch_ms=2140, found=("screenshot",))
    lifecycles.apply_move(tx, state, EnrichmentStatus.SUCCEEDED, at=later, record=screenshot)
