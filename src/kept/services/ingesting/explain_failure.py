"""Say why there is no article, in the terms of the API."""

from dataclasses import replace

from kept.content.article.article import ExtractFailed
from kept.domain.attempt import AttemptRecord, Failure, Via
from kept.domain.failures import FailureStage
from kept.fetch.outcome import FORBIDDEN, FetchFailed, FetchReason
from kept.services.pages.states import describe_fetch


def explain_failure(failed: FetchFailed | ExtractFailed, facts: AttemptRecord) -> Failure:
    """`facts`: how the page was come by; a fetch that failed adds its own."""
    if isinstance(failed, ExtractFailed):
        is_transient = failed.is_transient
        return Failure(failed.code, failed.message, failed.stage, is_transient, facts=facts, reason=failed.detail)
    via = Via(facts.via or Via.HTTP)
    described = describe_fetch(failed, via)
    refused = failed.reason if failed.reason in FORBIDDEN else None
    return Failure(
        failed.code,
        failed.message,
        FailureStage.RENDER if via is Via.BROWSER else FailureStage.FETCH,
        failed.transient,
        failed.retry_after_seconds,
        replace(described, message=None, validation_reason=refused, reason=failed.reason),
        reason=_name_reason(failed),
    )


def _name_reason(failed: FetchFailed) -> str:
    return f"{failed.label} {failed.http_status}" if failed.reason is FetchReason.HTTP_STATUS else failed.label
