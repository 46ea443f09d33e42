"""`kept fetch URL`: fetches a URL through the egress gate and shows each hop, to find out why a page failed.

Hops are shown here only: they may be private links, and they disclose details of the network.
"""

import asyncio
import json
from typing import Annotated

import typer

from kept.cli.output import AsJson, Styled, print_line, print_table, show_waiting
from kept.cli.running import log_warnings
from kept.config import Settings, load_settings
from kept.fetch.outcome import Fetched, FetchFailed, FetchOutcome, Hop
from kept.urls.url import NormalisedUrl, OtherSchemeUrl, RejectedUrl, parse_url

Url = Annotated[str, typer.Argument(metavar="URL", help="The page to fetch.")]
AsSave = Annotated[bool, typer.Option("--as-save", help="Use the limits of a save instead of a worker's.")]


def fetch(url: Url, as_json: AsJson = False, as_save: AsSave = False) -> None:
    """Fetch a page through the egress gate and show what happened, hop by hop. Nothing is saved."""
    log_warnings()
    settings = load_settings()
    match parse_url(url):
        case RejectedUrl(reason=reason):
            raise typer.BadParameter(f"this is not a URL ({reason})", param_hint="URL")
        case OtherSchemeUrl(scheme=scheme):
            raise typer.BadParameter(f"{scheme}: URLs are not fetched", param_hint="URL")
        case NormalisedUrl() as target:
            with show_waiting("fetching"):
                outcome = asyncio.run(fetch_once(target, settings, as_save))
    if as_json:
        print(json.dumps(describe(outcome), indent=2))
    else:
        show(outcome)
    raise typer.Exit(0 if isinstance(outcome, Fetched) else 1)


async def fetch_once(url: NormalisedUrl, settings: Settings, as_save: bool) -> FetchOutcome:
    from kept.fetch.gate import Gate
    from kept.fetch.limits import save_limits, worker_limits

    async with Gate.from_settings(settings) as gate:
        return await gate.fetch(url, save_limits(settings) if as_save else worker_limits(settings))


def describe(outcome: FetchOutcome) -> dict[str, object]:
    """Return the outcome as plain values, for JSON."""
    hops = [describe_hop(hop) for hop in outcome.hops]
    if isinstance(outcome, Fetched):
        return {
            "outcome": "fetched",
            "final_url": str(outcome.final_url),
            "status": outcome.status,
            "content_type": outcome.content_type,
            "bytes": len(outcome.body),
            "truncated": outcome.truncated,
            "headers_ms": round(outcome.timings.headers_ms, 1),
            "total_ms": round(outcome.timings.total_ms, 1),
            "headers": dict(outcome.headers),
            "hops": hops,
        }
    return {
        "outcome": "failed",
        "code": outcome.code,
        "reason": outcome.reason,
        "blocked": outcome.blocked,
        "message": outcome.message,
        "status": outcome.http_status,
        "transient": outcome.is_transient,
        "retry_after_seconds": outcome.retry_after_seconds,
        "total_ms": round(outcome.total_ms, 1),
        "headers": dict(outcome.headers),
        "hops": hops,
    }


def describe_hop(hop: Hop) -> dict[str, object]:
    return {"url": str(hop.url), "address": hop.address, "status": hop.status, "ms": round(hop.ms, 1)}


def show(outcome: FetchOutcome) -> None:
    rows = [
        (str(number), str(hop.url), hop.address or "", "" if hop.status is None else str(hop.status), f"{hop.ms:.0f}")
        for number, hop in enumerate(outcome.hops, 1)
    ]
    print_table(("", "url", "address", "status", "ms"), rows)
    print_line(Styled(summarise(outcome), "green" if isinstance(outcome, Fetched) else "red"))


def summarise(outcome: FetchOutcome) -> str:
    match outcome:
        case Fetched():
            kind = outcome.content_type or "no content type"
            cut = ", cut off at the limit" if outcome.truncated else ""
            size = f"{len(outcome.body):,} bytes{cut}"
            return f"fetched: {outcome.status}, {kind}, {size}, {outcome.timings.total_ms:.0f} ms"
        case FetchFailed():
            why = f"{outcome.reason} ({outcome.blocked})" if outcome.blocked else outcome.reason
            again = "may be retried" if outcome.is_transient else "not retried"
            return f"{outcome.code}: {why}, {again}, {outcome.total_ms:.0f} ms. {outcome.message}"
