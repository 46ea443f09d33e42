"""From a fetched page to an article: every step of `content` in order. Pure but for the `Reader` it is given.

Called by the extractor child alone: what goes through here is hostile, and may take for ever.
"""

from dataclasses import replace
from typing import Final
from urllib.parse import urlsplit

from selectolax.lexbor import LexborHTMLParser, LexborNode

from kept.content.article.article import (
    ARTICLE_BEGINS,
    ARTICLE_ENDS,
    Article,
    ExtractFailed,
    ImageRef,
    Page,
    count_words,
)
from kept.content.article.canonical import CanonicalText, canonical_text
from kept.content.article.image_sources import resolve_images
from kept.content.article.readable import COULD_NOT_BE_READ, NO_ARTICLE, NotReadable, Readable, ReadableCode, Reader
from kept.content.article.rules import RULES, Rules
from kept.content.article.rules.candidates import (
    Candidate,
    Opinions,
    choose,
    gather_opinions,
    is_doubtful,
    remove_unseen,
)
from kept.content.article.rules.facts import Subject
from kept.content.article.rules.tree import text_of, weigh_text
from kept.content.article.sanitise import SafeHtml, SanitisedArticle, SanitiseFailed, sanitise_article
from kept.content.article.tidy import parse_body, tidy, tidy_page, write_page
from kept.content.page.bylines import choose_byline, find_marked_author, repeats_site
from kept.content.page.challenge import classify_page
from kept.content.page.description import MAX_NAME, MAX_TITLE, PageKind, PageMetadata, PageVerdict
from kept.content.page.kinds import MESSAGES, is_html_type
from kept.content.page.metadata import read_metadata
from kept.content.page.outline import count_shown_words
from kept.content.page.text_cleaning import clean_line, shorten
from kept.domain.failures import FailureCode, FailureStage

# In letters of Latin: less is a caption, a "please wait" or a menu; an image may need fewer words.
LEAST_CHARACTERS: Final = 100
LEAST_CHARACTERS_WITH_IMAGE: Final = 20

_CODES: Final = {
    PageKind.CHALLENGE: FailureCode.EXTRACT_CHALLENGE,
    PageKind.CONSENT_WALL: FailureCode.EXTRACT_CONSENT,
    PageKind.LOGIN_WALL: FailureCode.EXTRACT_LOGIN,
    PageKind.SOFT_404: FailureCode.EXTRACT_SOFT_404,
    PageKind.ERROR_PAGE: FailureCode.FETCH_FAILED,
    PageKind.JAVASCRIPT_REQUIRED: FailureCode.EXTRACT_NO_CONTENT,
}
_DIRECTIONS: Final = frozenset({"ltr", "rtl", "auto"})


def build_article(
    page: Page, html: str, reader: Reader, timeout_seconds: float, rules: Rules = RULES
) -> Article | ExtractFailed:
    """`html`: the page's text, within bounds (`bounds.find_excess`). `rules`: for benches that leave some out."""
    return explain_other_type(page, read_article(page, html, reader, timeout_seconds, rules))


def refuse_page(page: Page, html: str, excess: str) -> Article | ExtractFailed:
    """For a page that is not within bounds."""
    metadata = read_metadata(html, page.final_url)
    return explain_other_type(page, ExtractFailed(FailureCode.EXTRACT_NO_CONTENT, excess, metadata=metadata))


def explain_other_type(page: Page, outcome: Article | ExtractFailed) -> Article | ExtractFailed:
    if isinstance(outcome, Article) or outcome.code is not FailureCode.EXTRACT_NO_CONTENT:
        return outcome
    if is_html_type(page.content_type):
        return outcome
    code = FailureCode.FETCH_UNSUPPORTED_CONTENT_TYPE  # nobody called it a page, and nothing in it can be read
    return replace(outcome, code=code, message=MESSAGES[code])


def read_article(
    page: Page, html: str, reader: Reader, timeout_seconds: float, rules: Rules
) -> Article | ExtractFailed:
    if page.is_copy:
        return compose_copy(page, html)
    if page.is_article:
        return compose(page, read_metadata(html, page.final_url), Readable(tidy(html, page.final_url)))
    tree = tidy_page(html, page.final_url)
    rules.prepare(tree, page.final_url)
    finish = reader.start(write_page(tree), timeout_seconds)
    metadata = read_metadata(html, page.final_url)
    verdict = classify_page(
        html, url=page.final_url, metadata=metadata, status=page.status, least_words=count_shown_words(tree)
    )
    opinions = gather_opinions(html, tree) if rules.second_opinion else None
    outcome = finish()
    if not verdict.is_readable and not page.is_upload:
        return in_the_way(verdict, metadata)
    match outcome:
        case NotReadable() if outcome.is_final and opinions is not None:
            return compose(page, metadata, Readable(""), opinions, rules)
        case NotReadable():
            return not_readable(outcome, metadata)
        case Readable():
            return compose(page, metadata, name_author(outcome, metadata, tree), opinions, rules)


def name_author(readable: Readable, metadata: PageMetadata, tree: LexborHTMLParser) -> Readable:
    """Where a page names only itself, its text may mark who wrote it."""
    site = metadata.site_name
    byline = choose_byline((metadata.byline, readable.byline), site)
    if byline is None or repeats_site(byline, site):
        byline = choose_byline((find_marked_author(tree), byline), site)
    return replace(readable, byline=byline)


def compose_copy(page: Page, html: str) -> Article | ExtractFailed:
    """The file says elsewhere what the page said of itself."""
    inside = html.partition(ARTICLE_BEGINS)[2].rpartition(ARTICLE_ENDS)[0]
    made_safe = sanitise_article(
        inside,
        base_url=page.final_url,
        canonical_url=page.canonical_url or page.final_url,
        media_id=page.media_id,
        is_copy=True,
    )
    if isinstance(made_safe, SanitiseFailed):
        return ExtractFailed(FailureCode.SANITIZE_FAILED, made_safe.reason, FailureStage.SANITIZE)
    text = find_text(made_safe.html)
    if text is None:
        return ExtractFailed(FailureCode.CANONICALIZE_FAILED, COULD_NOT_BE_READ)
    return as_article(PageMetadata(), Readable(inside), made_safe.html, text, made_safe.images)


def in_the_way(verdict: PageVerdict, metadata: PageMetadata) -> ExtractFailed:
    """A challenge's title must never be taken for the article's, so its metadata is not handed on."""
    return ExtractFailed(_CODES[verdict.kind], verdict.reason, metadata=metadata if verdict.describes_itself else None)


def not_readable(nothing: NotReadable, metadata: PageMetadata) -> ExtractFailed:
    is_late = nothing.code is ReadableCode.TIMED_OUT
    code = FailureCode.INGEST_FAILED if nothing.lost else FailureCode.EXTRACT_NO_CONTENT
    code = FailureCode.INGEST_TIMEOUT if is_late else code
    is_transient = is_late or nothing.lost
    return ExtractFailed(code, nothing.message, metadata=metadata, detail=nothing.detail, is_transient=is_transient)


def compose(
    page: Page,
    metadata: PageMetadata,
    readable: Readable,
    opinions: Opinions | None = None,
    rules: Rules = RULES,
) -> Article | ExtractFailed:
    """Prune, sanitise, and see whether anything worth keeping is left."""
    made_safe = sanitise_article(
        pruned_html(readable, metadata, page.final_url, opinions, rules),
        base_url=metadata.base_url or page.final_url,
        canonical_url=page.canonical_url or page.final_url,
        media_id=page.media_id,
    )
    match made_safe:
        case SanitiseFailed(reason):
            return ExtractFailed(FailureCode.SANITIZE_FAILED, reason, FailureStage.SANITIZE, metadata)
        case SanitisedArticle(html, images):
            text = find_text(html)
            if text is None:
                return ExtractFailed(FailureCode.CANONICALIZE_FAILED, COULD_NOT_BE_READ, metadata=metadata)
            if not is_meaningful(text.text, images) and not (page.is_article and text.text):
                return ExtractFailed(FailureCode.EXTRACT_NO_CONTENT, NO_ARTICLE, metadata=metadata)
            return as_article(metadata, readable, html, text, images)


def find_text(html: SafeHtml) -> CanonicalText | None:
    """None where the text breaks a promise of its form: a bug of ours, and no reason to store such a text."""
    try:
        return canonical_text(html)
    except ValueError:
        return None


def pruned_html(readable: Readable, metadata: PageMetadata, url: str, opinions: Opinions | None, rules: Rules) -> str:
    subject = Subject(
        titles=tuple(filter(None, (metadata.title, readable.title))),
        byline=metadata.byline or readable.byline or "",
        host=urlsplit(url).hostname or "",
    )
    root = parse_body(readable.html)
    if root is None:
        return ""
    resolve_images(root)
    if not readable.is_exact:
        rules.prune(root, subject)
    if opinions is not None and is_doubtful(root, opinions):
        suggested = (read_part(part, subject, rules) for part in (opinions.densest, opinions.own) if part is not None)
        candidates = [Candidate(node, text_of(node)) for node in (root, *suggested) if node is not None]
        root = choose(candidates, opinions.html, metadata.excerpt).root
    return root.inner_html or ""


def read_part(part: LexborNode, subject: Subject, rules: Rules) -> LexborNode | None:
    """A part of the page, as it would be if Readability had taken it."""
    root = parse_body(part.html or "")
    if root is not None:
        remove_unseen(root)
        resolve_images(root)
        rules.prune(root, subject)
    return root


def is_meaningful(text: str, images: tuple[ImageRef, ...]) -> bool:
    return weigh_text(text) >= (LEAST_CHARACTERS_WITH_IMAGE if images else LEAST_CHARACTERS)


def as_article(
    metadata: PageMetadata,
    readable: Readable,
    html: SafeHtml,
    text: CanonicalText,
    images: tuple[ImageRef, ...],
) -> Article:
    """The page's own account comes first: Readability's is what it could make out without it."""
    lang = metadata.lang or find_language(text.text)
    return Article(
        title=metadata.title or one_line(readable.title, MAX_TITLE),
        byline=choose_byline((metadata.byline, one_line(readable.byline, MAX_NAME)), metadata.site_name),
        excerpt=metadata.excerpt,
        site_name=metadata.site_name or one_line(readable.site_name, MAX_NAME),
        lang=lang,
        dir=readable.dir if readable.dir in _DIRECTIONS else None,
        word_count=count_words(text.text),
        html=html,
        text=text,
        images=images,
        metadata=replace(metadata, lang=lang),
    )


def find_language(text: str) -> str | None:
    from kept.content.article.language import guess_language  # here alone: most pages declare theirs

    return guess_language(text)


def one_line(text: str | None, limit: int) -> str | None:
    return shorten(clean_line(text), limit) or None
