"""Title, byline, date, site, language and lead image of fifty pages, against labels made by hand.

`./bench metadata [--quick]`. The labels are in metadata_labels.json, by the name of the file: what the page shows.
They were made by looking at what Kept found beside the page's headings, bylines and dates, and putting right what was
wrong.
"""

import argparse
import json
import sys
from pathlib import Path
from typing import Final
from uuid import UUID

from kept.content.article.article import Article, Page
from kept.content.article.reading import read_page
from kept.subprocesses.sidecar import BUNDLE, Sidecar, find_node
from support.builders.extraction_corpus import ARTICLES, ArticlePage, load_articles

LABELS: Final = Path(__file__).with_name("metadata_labels.json")
FIELDS: Final = ("title", "byline", "published", "site", "lang", "image")
Values = dict[str, str | None]


def find_values(page: ArticlePage, sidecar: Sidecar) -> Values:
    outcome = read_page(Page(page.body, page.url, UUID(int=0), "text/html; charset=utf-8"), sidecar, 30)
    if not isinstance(outcome, Article):
        return dict.fromkeys(FIELDS)
    published, image = outcome.metadata.published_at, outcome.metadata.preview_image_url
    return {
        "title": outcome.title,
        "byline": outcome.byline,
        "published": published.date().isoformat() if published else None,
        "site": outcome.site_name,
        "lang": outcome.lang,
        "image": image.rpartition("/")[2][:60] if image else None,
    }


def is_right(field: str, label: str | None, found: str | None) -> bool:
    if label is None or found is None:
        return label == found
    if field == "lang":
        return label[:2].lower() == found[:2].lower()
    return label.lower() == found.lower()


def main() -> None:
    parser = argparse.ArgumentParser(prog="./bench metadata", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="small numbers: does it run at all?")
    most = 8 if parser.parse_args().quick else 1000
    node = find_node(None)
    if node is None or not ARTICLES.is_dir():
        sys.exit("Node or the public corpora are not here.")
    labels: dict[str, Values] = json.loads(LABELS.read_text("utf-8"))
    sidecar = Sidecar(node, BUNDLE)
    pages = [page for page in load_articles() if page.key in labels][:most]
    found = {page.key: find_values(page, sidecar) for page in pages}
    sidecar.stop()
    for field in FIELDS:
        wrong = [key for key in found if not is_right(field, labels[key][field], found[key][field])]
        print(f"{field}: {len(found) - len(wrong)} of {len(found)} right")
        for key in wrong:
            print(f"    {key[:12]}: {found[key][field]!r}, not {labels[key][field]!r}")


if __name__ == "__main__":
    main()
