"""linkding's API under /linkding, for its clients."""

from fastapi import APIRouter

from kept.compat.linkding import about, bookmarks
from kept.compat.linkding.bookmark_out import ROOT

router = APIRouter(include_in_schema=False)
for family in (bookmarks, about):
    router.include_router(family.router, prefix=ROOT)
router.include_router(about.rest, prefix=ROOT)
