"""Read the article of a page, with what stands elsewhere: its further pages, or another version of the page."""

from kept.content.article.article import Article, ExtractFailed
from kept.fetch.outcome import FetchFailed
from kept.services.ingesting.join_pages import JoinedArticle, SavedPage, join_pages
from kept.services.ingesting.page_source import PageSource
from kept.urls.identity import is_same_site


async def read_whole_article(
    source: PageSource, saved: SavedPage, *, may_use_alternate: bool
) -> JoinedArticle | ExtractFailed:
    """`may_use_alternate`: a page without an article is looked for in its AMP or printing version, once."""
    extracted = await source.extract(saved.page, saved.owner)
    if isinstance(extracted, Article):
        return await join_pages(source, extracted, saved)
    if not may_use_alternate or extracted.alternate_url is None:
        return extracted
    article = await _read_alternate(source, saved, extracted.alternate_url)
    return JoinedArticle(article) if article is not None else extracted


async def _read_alternate(source: PageSource, saved: SavedPage, alternate_url: str) -> Article | None:
    """It stays the article of the page that was saved, whose URL names it."""
    url = source.find_another(alternate_url, saved.page)
    if url is None:
        return None
    fetched = await source.fetch_another(url, saved.saved_url, source.settings.fetch_max_bytes)
    if isinstance(fetched, FetchFailed) or not is_same_site(url, fetched.final_url):
        return None
    return await source.extract_another(fetched, saved.page, saved.owner)
