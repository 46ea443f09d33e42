"""Our own pass over Readability's result: removes what is not the article, and never what a reader came for.

General rules only, each in a file by its kind of evidence; `tree` holds what none of them may remove.
"""

from dataclasses import dataclass

from selectolax.lexbor import LexborNode

from kept.content.article.prune.boxes import remove_boxes, remove_linked_figures, remove_quoted_pointers
from kept.content.article.prune.ends import remove_closing, remove_date_after_lead, remove_opening
from kept.content.article.prune.hints import remove_hinted, remove_unlikely
from kept.content.article.prune.leftovers import remove_empty_wrappers, remove_repeated_captions
from kept.content.article.prune.own_article import remove_after_article
from kept.content.article.prune.teasers import remove_other_articles, remove_stray_links, remove_teaser_lists
from kept.content.article.prune.wording import remove_link_lists, remove_prompts


@dataclass(frozen=True, slots=True)
class Subject:
    """What is known of the article beside its text, for the rules that compare."""

    titles: tuple[str, ...] = ()
    byline: str = ""
    host: str = ""
    may_be_article: bool = True
    """If not, a list may be what the page is about."""


def prune(root: LexborNode, subject: Subject) -> None:
    """Prune in place. The order matters: containers first, so that the ends are the article's own."""
    remove_unlikely(root)
    remove_after_article(root)
    remove_hinted(root)
    remove_other_articles(root)
    remove_teaser_lists(root, subject.host, may_be_article=subject.may_be_article)
    remove_linked_figures(root, subject.host)
    remove_boxes(root, subject.host)
    remove_quoted_pointers(root, subject.host)
    remove_link_lists(root)
    remove_stray_links(root, subject.host)
    remove_prompts(root)
    remove_repeated_captions(root)
    remove_opening(root, subject.titles, subject.byline)
    remove_date_after_lead(root)
    remove_closing(root)
    remove_empty_wrappers(root)
