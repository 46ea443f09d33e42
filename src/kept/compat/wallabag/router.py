"""wallabag's API v2 under /wallabag, for its clients."""

from fastapi import APIRouter

from kept.compat.wallabag import about, annotations, entries, files, pages, sign_in, tags
from kept.compat.wallabag.entry_out import ROOT

router = APIRouter(include_in_schema=False)
for family in (entries, tags, annotations, files, sign_in, about, pages):
    router.include_router(family.router, prefix=ROOT)
router.include_router(about.rest, prefix=ROOT)
