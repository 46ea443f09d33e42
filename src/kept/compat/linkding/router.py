"""linkding's API under /linkding, for its clients."""

from fastapi import APIRouter

from kept.compat.linkding import about, bookmarks

router = APIRouter(prefix="/linkding", include_in_schema=False)
for family in (bookmarks, about):
    router.include_router(family.router)
router.include_router(about.rest)
