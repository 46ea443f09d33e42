"""All web pages. Each page module parses its form, calls a service and renders a template."""

from typing import Final

from kept.web import (
    account,
    actions,
    adding,
    api_docs,
    app_access,
    apps,
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

FAMILIES: Final = (
    *(sign_in, library, adding, uploading, actions, removed, reader, whole_page, highlights, history, statistics),
    *(libraries, importing, exporting, account, apps, app_access, connecting),
    *(help, api_docs, live, manifest, offline),
)
