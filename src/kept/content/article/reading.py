"""A page read whole: by its site rule where there is one, else as any page; and where it leads on. Pure but for the
`Reader` it is given. Called by the extractor child alone.
"""

from dataclasses import replace

from selectolax.lexbor import LexborHTMLParser

from kept.content.article.article import Article, ExtractFailed, Page
from kept.content.article.extract import build_article, compose, refuse_page
from kept.content.article.readable import Readable, Reader
from kept.content.article.rules import RULES, Rules
from kept.content.article.rules.tree import outermost
from kept.content.article.site_rules import RuleUse, SiteRule
from kept.content.page.bounds import find_excess
from kept.content.page.decode import decode_html
from kept.content.page.description import MAX_NAME, MAX_TITLE
from kept.content.page.metadata import read_metadata
from kept.content.page.next_page import find_alternate, find_chosen, find_next_page
from kept.content.page.page_number import NextPage
from kept.content.page.text_cleaning import clean_line, shorten
from kept.domain.failures import FailureCode


def read_page(page: Page, reader: Reader, timeout_seconds: float, rules: Rules = RULES) -> Article | ExtractFailed:
    """What came with a file is read as it is: no site rule is for it, and nothing is fetched for it."""
    html = decode_html(page.body, page.content_type).text
    excess = find_excess(html)
    if excess is not None:
        return refuse_page(page, html, excess)
    if page.is_copy or page.is_article:
        return build_article(page, html, reader, timeout_seconds, rules)
    outcome = _read(page, html, reader, timeout_seconds, rules)
    match outcome:
        case Article():
            return replace(outcome, next_page=_find_next(page, html))
        case ExtractFailed(FailureCode.EXTRACT_NO_CONTENT):
            return replace(outcome, alternate_url=find_alternate(html, page.final_url))
        case _:
            return outcome


def _read(page: Page, html: str, reader: Reader, timeout_seconds: float, rules: Rules) -> Article | ExtractFailed:
    rule = page.rule
    if rule is None:
        return build_article(page, html, reader, timeout_seconds, rules)
    tree = LexborHTMLParser(html.encode("utf-8", "replace"))
    use = RuleUse(rule.file, not rule.take, _text(tree, rule.title, MAX_TITLE), _text(tree, rule.byline, MAX_NAME))
    _leave(tree, rule)
    taken = _take(page, tree, html, rule)
    if isinstance(taken, Article):
        return _with_use(taken, replace(use, has_matched=True))
    if rule.leave:
        outcome = _read_rest(page, tree.html or "", reader, timeout_seconds, rules)
    else:
        outcome = build_article(page, html, reader, timeout_seconds, rules)
    return _with_use(outcome, use) if isinstance(outcome, Article) else outcome


def _take(page: Page, tree: LexborHTMLParser, html: str, rule: SiteRule) -> Article | ExtractFailed | None:
    """The article as the rule names it; not pruned, for its author has looked at it."""
    nodes = outermost(tree.css(", ".join(rule.take))) if rule.take else []
    if not nodes:
        return None
    metadata = read_metadata(html, page.final_url)
    return compose(page, metadata, Readable("".join(node.html or "" for node in nodes), is_exact=True))


def _leave(tree: LexborHTMLParser, rule: SiteRule) -> None:
    if rule.leave:
        for node in reversed(tree.css(", ".join(rule.leave))):
            node.decompose()


def _read_rest(page: Page, html: str, reader: Reader, timeout_seconds: float, rules: Rules) -> Article | ExtractFailed:
    """What is left of a page is written anew, as markup, whatever its site called it."""
    excess = find_excess(html)
    page = replace(page, content_type="text/html; charset=utf-8")
    if excess is not None:
        return refuse_page(page, html, excess)
    return build_article(page, html, reader, timeout_seconds, rules)


def _text(tree: LexborHTMLParser, selector: str | None, limit: int) -> str | None:
    node = tree.css_first(selector) if selector is not None else None
    return shorten(clean_line(node.text(separator=" ")), limit) or None if node is not None else None


def _with_use(article: Article, use: RuleUse) -> Article:
    title, byline = use.title or article.title, use.byline or article.byline
    metadata = replace(article.metadata, title=title, byline=byline)
    return replace(article, title=title, byline=byline, metadata=metadata, rule_use=use)


def _find_next(page: Page, html: str) -> NextPage | None:
    if page.is_upload:
        return None
    if page.rule is not None and page.rule.next_page is not None:
        return find_chosen(html, page.final_url, page.rule.next_page)
    return find_next_page(html, page.final_url)
