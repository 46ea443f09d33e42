"""Say what came with an error status: a login or a robot check by its own code, anything else by its status."""

from dataclasses import replace

from kept.content.article.article import ExtractFailed, Page
from kept.domain.attempt import Failure
from kept.domain.failures import WALLS
from kept.fetch.outcome import WALL_STATUSES
from kept.services.ingesting.ingester import Ingester


async def explain_error_page(ingester: Ingester, page: Page, plain: Failure) -> Failure:
    """`plain`: the failure that the status alone is."""
    if page.status not in WALL_STATUSES or not page.body:
        return plain
    extracted = await ingester.extractors.extract(page)
    if isinstance(extracted, ExtractFailed) and extracted.code in WALLS:
        return replace(plain, code=extracted.code, message=extracted.message)
    return plain
