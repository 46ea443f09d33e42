"""All web pages under one router. Each page module parses its form, calls a service and renders a template."""

from fastapi import APIRouter

from kept.web import (
    account,
    actions,
    adding,
    api_docs,
    app_access,
    apps,
    bot,
    connecting,
    exporting,
    help,
    highlights,
    history,
    importing,
    libraries,
    library,
    live,
    manifest,
    offline,
    reader,
    removed,
    sign_in,
    statistics,
    uploading,
    whole_page,
)

router = APIRouter(include_in_schema=False)
for family in (
    *(sign_in, library, adding, uploading, actions, removed, reader, whole_page, highlights, history, statistics),
    *(libraries, importing, exporting, account, apps, app_access, connecting),
    *(help, api_docs, bot, live, manifest, offline),
):
    router.include_router(family.router)
