"""Files as other tools write them: their exact columns and their oddities, with made-up pages."""

import io
import json
import zipfile
from typing import Any

POCKET_CSV = (
    "title,url,time_added,tags,status\n"
    "https://example.com/no-title,https://example.com/no-title,1514815800,,unread\n"
    '"A title, with a comma",https://example.com/b,1466518800,recipes|to cook|Äpfel,archive\n'
    '"Two ""quotes""",http://example.org/c?x=1&y=2,1700000000,,unread\n'
)
POCKET_ANNOTATIONS = [
    {
        "url": "https://example.com/b",
        "title": "A title, with a comma",
        "highlights": [{"quote": "A fine sentence.", "created_at": 1466600000}],
    }
]
POCKET_HTML = """<!DOCTYPE html>
<html>
\t<!--So long and thanks for all the fish-->
\t<head>
\t\t<meta http-equiv="Content-Type" content="text/html; charset=UTF-8" />
\t\t<title>Pocket Export</title>
\t</head>
\t<body>
\t\t<h1>Unread</h1>
\t\t<ul>
\t\t\t<li><a href="https://example.net/" time_added="1684913522" tags="">https://example.net/</a></li>
<li><a href="https://example.org/?a=1&amp;b=2" time_added="1684913346" tags="tag1,tag two">Q &amp; A</a></li>
\t\t</ul>
\t\t<h1>Read Archive</h1>
\t\t<ul>
\t\t\t<li><a href="https://example.org/read" time_added="1712037544" tags="">Read article</a></li>
\t\t</ul>
\t</body>
</html>
"""
FIREFOX_HTML = """<!DOCTYPE NETSCAPE-Bookmark-file-1>
<!-- This is an automatically generated file.
     It will be read and overwritten.
     DO NOT EDIT! <A HREF="https://example.com/in-a-comment">no</A> -->
<META HTTP-EQUIV="Content-Type" CONTENT="text/html; charset=UTF-8">
<TITLE>Bookmarks</TITLE>
<H1>Bookmarks Menu</H1>

<DL><p>
    <DT><A HREF="place:sort=8&maxResults=10" ADD_DATE="1500000000">Most Visited</A>
    <DT><H3 ADD_DATE="1500000000" LAST_MODIFIED="1500000001">Cooking</H3>
    <DD>What I cook
    <DL><p>
        <DT><A HREF="https://example.com/soup" ADD_DATE="1500000002" ICON="data:image/png;base64,iVBORw0KGgo=">Soup</A>
        <DD>A good one &amp; simple
        <DT><H3>Desserts</H3>
        <DL><p>
            <DT><A HREF="https://example.com/cake" ADD_DATE="1500000003" TAGS="sweet,Oven">Cake &gt; pie</A>
        </DL><p>
        <DT><A HREF="https://example.com/bread">Bread</A>
    </DL><p>
    <DT><H3 ADD_DATE="1" PERSONAL_TOOLBAR_FOLDER="true">Bookmarks Toolbar</H3>
    <DL><p>
        <DT><A HREF="https://example.com/daily" ADD_DATE="1500000004000000">Daily</A>
    </DL><p>
    <HR>
    <DT><A HREF="https://example.com/last" ADD_DATE="0">Last</A>
</DL>
"""
LINKDING_HTML = """<!DOCTYPE NETSCAPE-Bookmark-file-1>
<META HTTP-EQUIV="Content-Type" CONTENT="text/html; charset=UTF-8">
<TITLE>Bookmarks</TITLE>
<H1>Bookmarks</H1>
<DL><p>
<DT><A HREF="https://example.com/a" ADD_DATE="1700000000" LAST_MODIFIED="1700000001" PRIVATE="1" TOREAD="1" \
TAGS="go,linkding:bookmarks.archived">A &amp; B</A>
<DD>Words of it[linkding-notes]A note
of two lines[/linkding-notes]
<DT><A HREF="https://example.com/b" ADD_DATE="1700000002" LAST_MODIFIED="1700000003" PRIVATE="0" TOREAD="0" \
TAGS="">B</A>
</DL><p>
"""
NO_DOCTYPE_HTML = """<dl><p>
<dt><a href=https://example.com/bare add_date=1500000000 tags='one,two'>Bare</a>
<dt><h3>Open</h3><dl>
<dt><a href='https://example.com/x'>X
<dd>Never closed
<dt><a href="https://example.com/y">Y</a>
"""
INSTAPAPER_CSV = (
    "URL,Title,Selection,Folder,Timestamp,Tags\n"
    "https://example.com/1,One,,Unread,1640080879,[]\n"
    'https://example.com/2,Two,"A marked ""line"".",Archive,1687302510,"[""a b"",""c""]"\n'
    "https://example.com/3,Three,,Starred,1687302511,[]\n"
    "https://example.com/4,Four,,Long Reads,1687302512,[]\n"
)
RAINDROP_CSV = (
    "id,title,note,excerpt,url,folder,tags,created,cover,highlights,favorite\n"
    '1,Rust book,my note,"An excerpt, with comma",https://example.com/book/,Dev / Rust,"rust, books",'
    '2024-05-01T10:00:00.000Z,https://example.com/c.png,"Highlight:First line.\nNote:mine\n\nHighlight:Second",true\n'
    "2,Loose,,,https://example.com/loose,Unsorted,,2024-05-02T10:00:00Z,,,false\n"
)
READWISE_CSV = (
    "Title,URL,ID,Document tags,Saved date,Reading progress,Location,Seen\n"
    ",https://example.com/start,01a,,2025-01-20 22:13:02.447000+00:00,,archive,True\n"
    ",mailto:reader-forwarded-email/7346231d,01b,,,,feed,False\n"
    '"Some Title",https://example.com/t,01c,"[""don\'t"", \'favorite\', \'peanut, butter\']",'
    "2022-12-05 12:42:10+02:00,0.25,later,True\n"
)
READWISE_HIGHLIGHTS_CSV = (
    "Highlight,Title,Author,URL,Note,Location,Date\n"
    '"First words.\n\nMore of them.",A page,Ann,https://example.com/h,mine,12,2020-10-05 10:15:30+00:00\n'
    "Elsewhere,Other,,https://example.com/i,,,\n"
    "'-5 degrees,A page,Ann,https://example.com/h,'=sum,3,2020-10-06\n"
)
READWISE_OWN_CSV = (
    "Highlight,Book Title,Book Author,Amazon Book ID,Note,Color,Tags,Location Type,Location,Highlighted at,"
    "Document tags\n"
    "Some words,A book,Ann,B00X,,yellow,,page,12,2020-10-05 10:15:30+00:00,\n"
)
READWISE_EXPORT: dict[str, Any] = {
    "count": 2,
    "nextPageCursor": None,
    "results": [
        {
            "user_book_id": 1,
            "title": "A page",
            "source_url": "https://example.com/h",
            "category": "articles",
            "book_tags": [{"id": 2, "name": "news"}],
            "highlights": [
                {
                    "id": 3,
                    "text": "First words.",
                    "note": "mine",
                    "color": "pink",
                    "highlighted_at": "2022-09-13T16:41:53.186Z",
                    "updated_at": "2022-09-14T16:41:53.186Z",
                }
            ],
        },
        {"user_book_id": 4, "title": "A book", "source_url": None, "highlights": [{"text": "Some words"}]},
    ],
}
ANNOTATIONS: dict[str, Any] = {
    "@context": "http://www.w3.org/ns/anno.jsonld",
    "id": "urn:uuid:00000000-0000-0000-0000-000000000001",
    "type": "AnnotationCollection",
    "first": {
        "type": "AnnotationPage",
        "items": [
            {
                "type": "Annotation",
                "created": "2024-05-01T10:00:00.000001Z",
                "modified": "2024-05-02T10:00:00Z",
                "body": {"type": "TextualBody", "value": "why"},
                "target": {
                    "source": "https://example.com/h",
                    "styleClass": "green",
                    "selector": [
                        {"type": "TextQuoteSelector", "exact": "marked words", "prefix": "the ", "suffix": " here"},
                        {"type": "TextPositionSelector", "start": 4, "end": 16},
                    ],
                },
            },
            {"type": "Annotation", "bodyValue": "on the page", "target": "https://example.com/h"},
            {"type": "Annotation", "body": []},
        ],
    },
}
MATTER_CSV = (
    "Title,Author,Publisher,URL,Tags,Word Count,In Queue,Favorited,Read,Highlight_Count,Last Interaction Date,File Id\n"
    "First,Ann,Paper,https://example.com/1,one;two words,1200,True,False,False,0,2023-04-05 10:11:12,a1\n"
    "Second,,,https://example.com/2,,0,False,True,True,3,2023-04-06,a2\n"
)
READECK_CSV = (
    "url,title,created,labels,is_archived,is_marked,type\r\n"
    'https://example.com/r,A page,2024-02-03T04:05:06Z,"[""news"",""with, comma""]",true,true,article\r\n'
    "https://example.com/s,,2024-02-03T04:05:07Z,null,false,false,video\r\n"
)
ARTICLE = "<h1>Kept words</h1>" + "".join(
    f"<p>Paragraph {number} of the article that came with the file, long enough to be one.</p>" for number in range(12)
)
WALLABAG: list[dict[str, Any]] = [
    {
        "is_archived": 1,
        "is_starred": 0,
        "tags": ["php", "two words"],
        "is_public": False,
        "id": 23,
        "title": "Words &amp; more",
        "url": "https://example.com/w",
        "content": ARTICLE,
        "created_at": "2016-09-08T11:55:58+0200",
        "updated_at": "2016-09-08T11:57:16+0200",
        "published_by": ["Ann"],
        "starred_at": None,
        "annotations": [{"quote": "marked", "text": "why", "created_at": "2016-09-09T00:00:00+0200"}],
        "mimetype": "text/html",
        "language": "fr",
        "reading_time": 5,
        "domain_name": "example.com",
        "preview_picture": "https://example.com/p.jpg",
        "http_status": "200",
        "headers": {"content-type": "text/html"},
    },
    {
        "is_archived": 0,
        "is_starred": 1,
        "tags": [{"id": 1, "label": "As object", "slug": "as-object"}],
        "id": 24,
        "title": "Not fetched",
        "url": "https://example.com/gone",
        "content": "<p>wallabag can't retrieve contents for this article. Please troubleshoot this issue.</p>",
        "created_at": "2017-01-01T00:00:00+0100",
        "mimetype": None,
    },
]
LINKDING = {
    "count": 2,
    "next": None,
    "previous": None,
    "results": [
        {
            "id": 1,
            "url": "https://example.com/l",
            "title": "Example title",
            "description": "Example description",
            "notes": "Example notes",
            "web_archive_snapshot_url": "",
            "favicon_url": "",
            "preview_image_url": "",
            "is_archived": False,
            "unread": True,
            "shared": False,
            "tag_names": ["tag1", "tag2"],
            "date_added": "2020-09-26T09:46:23.006313Z",
            "date_modified": "2020-09-26T16:01:14.275335Z",
        },
        {"url": "https://example.com/m", "title": "", "is_archived": True, "unread": False, "tag_names": []},
    ],
}
LINKWARDEN = {
    "name": "ann",
    "username": "ann",
    "collectionOrder": [1, 2],
    "collections": [
        {
            "id": 1,
            "name": "Unorganized",
            "parentId": None,
            "links": [
                {
                    "id": 1,
                    "name": "You&#39;re here",
                    "type": "url",
                    "description": "What it is",
                    "url": "https://example.com/lw",
                    "importDate": None,
                    "createdAt": "2025-06-24T05:24:31.751Z",
                    "tags": [{"id": 2, "name": "label b"}],
                    "highlight": [
                        {
                            "id": 5,
                            "color": "green",
                            "comment": "why",
                            "startOffset": 4,
                            "endOffset": 9,
                            "text": "marked",
                            "createdAt": "2025-06-25T00:00:00.000Z",
                            "updatedAt": "2025-06-26T00:00:00.000Z",
                        }
                    ],
                },
                {"id": 3, "name": "scan.pdf", "type": "pdf", "url": None, "tags": []},
            ],
        },
        {"id": 2, "name": "Work", "parentId": None, "links": []},
        {
            "id": 3,
            "name": "Ideas",
            "parentId": 2,
            "links": [
                {
                    "id": 4,
                    "name": "Nested",
                    "url": "https://example.com/nested",
                    "tags": [],
                    "importDate": "2019-01-01T00:00:00.000Z",
                    "createdAt": "2025-06-24T05:24:31.751Z",
                }
            ],
        },
    ],
    "pinnedLinks": [{"id": 1, "url": "https://example.com/lw"}],
}
KARAKEEP = {
    "bookmarks": [
        {
            "createdAt": 1700000000,
            "title": "A link",
            "tags": ["ai", "Two Words"],
            "lists": ["l2", "smart"],
            "content": {"type": "link", "url": "https://example.com/k"},
            "note": "my note",
            "archived": True,
            "id": "k1",
            "highlights": [{"text": "First", "note": None, "color": "red", "createdAt": "2024-02-04T00:00:00.000Z"}],
        },
        {
            "createdAt": 1700000001,
            "title": "Only words",
            "tags": [],
            "content": {"type": "text", "text": "x"},
            "note": None,
        },
        {"createdAt": 1700000002, "title": "a.pdf", "tags": [], "lists": [], "content": None, "note": None},
    ],
    "highlights": [
        {
            "bookmarkId": "k1",
            "text": "Second",
            "note": "why",
            "color": "yellow",
            "createdAt": "2024-02-05T00:00:00.000Z",
        },
        {"bookmarkId": "gone", "text": "Nobody's"},
    ],
    "lists": [
        {
            "id": "l1",
            "name": "Outer",
            "description": None,
            "icon": "x",
            "type": "manual",
            "query": None,
            "parentId": None,
        },
        {
            "id": "l2",
            "name": "Inner",
            "description": None,
            "icon": "x",
            "type": "manual",
            "query": None,
            "parentId": "l1",
        },
        {
            "id": "smart",
            "name": "Search",
            "description": None,
            "icon": "x",
            "type": "smart",
            "query": "#a",
            "parentId": None,
        },
    ],
}
OMNIVORE = [
    {
        "id": "0001",
        "slug": "kept-words-1",
        "title": "Kept words",
        "description": "What it says",
        "author": "Ann",
        "url": "https://example.com/o",
        "state": "ARCHIVED",
        "readingProgress": 40,
        "thumbnail": "",
        "labels": ["one", "two words"],
        "savedAt": "2023-08-24T11:11:11.000Z",
        "updatedAt": "2023-08-25T11:11:11.000Z",
        "publishedAt": None,
    },
    {
        "id": "0002",
        "slug": "a-paper-2",
        "title": "A paper",
        "url": "https://example.com/paper.pdf",
        "state": "Active",
        "readingProgress": 100,
        "labels": [],
        "savedAt": "2023-08-26T11:11:11.000Z",
    },
]
# Omnivore's own way: a blank line within a quote becomes a mark, labels and the note follow; a note on the whole page
# stands alone, with two blank lines after it.
OMNIVORE_HIGHLIGHTS = (
    "On the whole page\n\n\n\n> A fine sentence. \n\nmy thought\n\nin two parts\n\n"
    "> Paragraph 1\n> of the article \n\n#label #two words\n\n> Paragraph 2 "
)
READECK_INFO = {
    "ID": 1,
    "UID": "abc",
    "UserID": 7,
    "Created": "2024-02-03T04:05:06.123456789Z",
    "Updated": "2024-02-03T04:05:06Z",
    "State": 0,
    "URL": "https://example.com/final",
    "InitialURL": "https://example.com/initial",
    "Title": "A bookmark",
    "Description": "Its description",
    "Labels": ["one", "two"],
    "ReadProgress": 100,
    "IsArchived": False,
    "IsMarked": True,
    "Annotations": [
        {
            "id": "x",
            "start_selector": "section/p[1]",
            "start_offset": 4,
            "end_selector": "section/p[1]",
            "end_offset": 16,
            "color": "blue",
            "created": "2024-02-04T00:00:00Z",
            "text": "marked words",
            "note": "why",
        }
    ],
}
URL_LIST = (
    "# mine\nhttps://example.com/1\n\n  https://example.com/2   With a title\n- https://example.com/3\nexample.org/4\n"
)


def zipped(files: dict[str, str | bytes]) -> bytes:
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return target.getvalue()


def pocket_zip() -> bytes:
    rest = "title,url,time_added,tags,status\nLast,https://example.com/last,1700000001,,unread\n"
    return zipped(
        {
            "part_000000.csv": POCKET_CSV,
            "part_000001.csv": rest,
            "annotations/part_000000.json": json.dumps(POCKET_ANNOTATIONS),
            "__MACOSX/._part_000000.csv": b"\x00\x05\x16\x07",
        }
    )


def omnivore_zip() -> bytes:
    return zipped(
        {
            "metadata_0_to_20.json": json.dumps(OMNIVORE),
            "content/kept-words-1.html": f"<html><body>{ARTICLE}</body></html>",
            "content/a-paper-2.pdf": b"%PDF-1.7",
            "highlights/kept-words-1.md": OMNIVORE_HIGHLIGHTS,
        }
    )


def readeck_zip() -> bytes:
    other = READECK_INFO | {"UID": "def", "UserID": 8, "InitialURL": "https://example.com/theirs"}
    return zipped(
        {
            "data.json": json.dumps({"Info": {"Version": "1"}, "Users": [{"ID": 7}], "Bookmarks": [{"UID": "abc"}]}),
            "bookmarks/abc/info.json": json.dumps(READECK_INFO),
            "bookmarks/abc/container/index.html": ARTICLE,
            "bookmarks/def/info.json": json.dumps(other),
        }
    )


EXAMPLES: dict[str, tuple[str, bytes]] = {
    "pocket zip": ("pocket", pocket_zip()),
    "pocket csv": ("pocket", POCKET_CSV.encode()),
    "pocket html": ("pocket", POCKET_HTML.encode()),
    "firefox": ("netscape", FIREFOX_HTML.encode()),
    "linkding html": ("netscape", LINKDING_HTML.encode()),
    "no doctype": ("netscape", NO_DOCTYPE_HTML.encode()),
    "instapaper": ("instapaper", INSTAPAPER_CSV.encode()),
    "raindrop": ("raindrop", b"\xef\xbb\xbf" + RAINDROP_CSV.encode()),
    "readwise": ("readwise", READWISE_CSV.encode()),
    "readwise highlights": ("readwise", READWISE_HIGHLIGHTS_CSV.encode()),
    "readwise own": ("readwise", READWISE_OWN_CSV.encode()),
    "readwise export": ("readwise", json.dumps(READWISE_EXPORT).encode()),
    "annotations": ("annotations", json.dumps(ANNOTATIONS).encode()),
    "matter": ("matter", MATTER_CSV.encode()),
    "readeck csv": ("readeck", READECK_CSV.encode()),
    "readeck zip": ("readeck", readeck_zip()),
    "omnivore": ("omnivore", omnivore_zip()),
    "wallabag": ("wallabag", json.dumps(WALLABAG).encode()),
    "linkding": ("linkding", json.dumps(LINKDING).encode()),
    "linkwarden": ("linkwarden", json.dumps(LINKWARDEN, indent=2).encode()),
    "karakeep": ("karakeep", json.dumps(KARAKEEP).encode()),
    "url list": ("urls", URL_LIST.encode()),
    "csv": ("csv", b"Link,Name,Labels\r\nhttps://example.com/x,X,a;b\r\n"),
}
