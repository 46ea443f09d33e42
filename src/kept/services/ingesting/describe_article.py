"""What the history says of an article beside how its page was fetched: its pages, and what a site rule did."""

from dataclasses import replace
from typing import Final

from kept.domain.attempt import AttemptRecord
from kept.services.ingesting.join_pages import JoinedArticle

APPLIED: Final = "applied"
MATCHED_NOTHING: Final = "matched_nothing"


def describe_article(record: AttemptRecord, joined: JoinedArticle) -> AttemptRecord:
    pages, use = joined.pages, joined.article.rule_use
    missing = pages.missing if pages is not None else None
    return replace(
        record,
        pages=pages.count if pages is not None else None,
        missing_pages=(missing.first, missing.last) if missing is not None else None,
        site_rule=(APPLIED if use.has_matched else MATCHED_NOTHING) if use is not None else None,
    )
