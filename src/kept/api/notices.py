"""Notices about a URL that was changed before it was saved."""

from collections.abc import Iterable

from kept.api.envelope import NoticeOut
from kept.urls.given import NOTICES, UrlNotice


def notices_out(notices: Iterable[UrlNotice]) -> list[NoticeOut]:
    return [NoticeOut(code=notice, message=NOTICES[notice]) for notice in notices]
