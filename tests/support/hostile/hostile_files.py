"""Files made to stop whoever imports them, by name."""

import json
from typing import Final

from kept.content.export_formats.kept_file import FORMAT, MANIFEST, VERSION
from support.builders import uploaded_files as files


def export_naming_one_article(lines: int, article_bytes: int) -> bytes:
    manifest = {"format": FORMAT, "version": VERSION, "items": {"files": ["items.jsonl"]}, "libraries": []}
    items = [
        {"url": f"https://example.org/{number}", "media": f"m{number}", "article": {"file": "article.html"}}
        for number in range(lines)
    ]
    return files.zipped(
        {
            MANIFEST: json.dumps(manifest),
            "items.jsonl": "\n".join(map(json.dumps, items)),
            "article.html": b"<p>" + b"x" * article_bytes,
        }
    )


HOSTILE_FILES: Final = {
    "newlines": b"\n" * 65_000,
    "unclosed tags": b"<html>" + b"<a " * 21_000,
    "attribute letters": b"<html><a " + b"a" * 50_000,
    "spaces": b"<html><a " + b" " * 60_000,
    "spaces in text": b"<title>" + b" " * 60_000,
    "nested lists": b"[" * 60_000,
    "combining marks": ("title,url,tags\nx,https://example.org/," + "\u0344" * 30_000).encode(),
}
