"""The only way out: `Gate.fetch`, which follows redirects and meta refreshes, each through the policy, in one deadline.

Anything that wants a page, an image or a feed from the network calls this; only the browser has its own proxy, which
asks the same policy.
"""

import ssl
import time
from contextlib import AsyncExitStack
from dataclasses import dataclass, field, replace
from types import TracebackType
from typing import Final, Self

from kept.config import Settings
from kept.content.page.refresh import find_refresh, parse_refresh
from kept.fetch.client import Answered, GuardedClient, Redirected, TimeLimit, Visit, user_agent
from kept.fetch.limits import FetchLimits, Slots
from kept.fetch.outcome import Fetched, FetchFailed, FetchOutcome, FetchReason, Hop, Timings, media_type
from kept.fetch.policy import EgressPolicy, TrustLevel, next_trust_level
from kept.fetch.resolver import AresResolver, Resolver
from kept.metrics import EGRESS
from kept.urls.url import NormalisedUrl, OtherSchemeUrl, RejectedUrl, join_url

# A page without a type is taken for HTML.
REFRESHING_TYPES: Final = frozenset({"text/html", "application/xhtml+xml", ""})
FETCHED: Final = EGRESS.labels("fetched", "none")


@dataclass(slots=True)
class Journey:
    """One call of `fetch`: its visits so far, and when it began."""

    url: NormalisedUrl
    limits: FetchLimits
    saved: NormalisedUrl
    """The page that a person saved: the page itself, or the page an image belongs to."""
    started_at: float = field(default_factory=time.perf_counter)
    visit: Visit = field(init=False)
    hops: list[Hop] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.visit = Visit(self.url, next_trust_level(TrustLevel.SAVED, self.saved, self.url), TimeLimit(self.limits))

    def follow(self, url: NormalisedUrl) -> None:
        before = self.visit
        before.time_limit.on_redirect()
        before.end()
        self.visit = Visit(url, next_trust_level(before.trust_level, self.saved, url), before.time_limit)

    def ms_until(self, instant: float) -> float:
        return (instant - self.started_at) * 1000


class Gate:
    def __init__(
        self,
        policy: EgressPolicy,
        resolver: Resolver,
        *,
        user_agent: str,
        per_host: int,
        per_user: int,
        tls: ssl.SSLContext | None = None,
    ) -> None:
        self._policy = policy
        self._client = GuardedClient(policy, resolver, user_agent=user_agent, tls=tls)
        self._hosts = Slots(per_host)
        self._users = Slots(per_user)
        self._resources = AsyncExitStack()
        self._resources.push_async_callback(self._client.close)

    @classmethod
    def from_settings(cls, settings: Settings) -> Self:
        resolver = AresResolver()
        gate = cls(
            EgressPolicy.from_settings(settings),
            resolver,
            user_agent=user_agent(settings),
            per_host=settings.limits.fetch_per_host,
            per_user=settings.limits.fetch_per_user,
        )
        gate._resources.push_async_callback(resolver.close)
        return gate

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    async def close(self) -> None:
        await self._resources.aclose()

    async def fetch(
        self,
        url: NormalisedUrl,
        limits: FetchLimits,
        *,
        user_key: str | None = None,
        page: NormalisedUrl | None = None,
    ) -> FetchOutcome:
        """Fetch the page at `url`, or return why not, within `limits.total_seconds`; raises only when cancelled.

        `page`: the saved page that names this URL. The allow list does not count for what a page names on another host.
        """
        journey = Journey(url, limits, page or url)
        try:
            async with journey.visit.time_limit.timer:
                if user_key is None:
                    outcome = await self._follow(journey)
                else:
                    outcome = await self._fetch_for(user_key, journey)
        except TimeoutError:
            journey.hops.append(journey.visit.as_hop())
            outcome = journey.visit.time_out()
        journey.visit.end()
        return finish(outcome, journey)

    async def _fetch_for(self, user_key: str, journey: Journey) -> Answered | FetchFailed:
        await self._users.acquire(user_key)
        try:
            return await self._follow(journey)
        finally:
            self._users.release(user_key)

    async def _follow(self, journey: Journey) -> Answered | FetchFailed:
        for _ in range(journey.limits.max_redirects + 1):
            answer = await self._visit(journey.visit, journey.limits)
            journey.hops.append(journey.visit.as_hop())
            onward = find_onward(journey.visit.url, answer, journey.limits)
            if not isinstance(onward, NormalisedUrl):
                return onward
            journey.follow(onward)
        return FetchFailed(FetchReason.TOO_MANY_REDIRECTS)

    async def _visit(self, visit: Visit, limits: FetchLimits) -> Answered | Redirected | FetchFailed:
        refusal = self._policy.judge_url(visit.url, visit.trust_level)
        if refusal is not None:
            return refusal.as_failure()
        await self._hosts.acquire(visit.url.host)
        try:
            return await self._client.get(visit, limits)
        finally:
            self._hosts.release(visit.url.host)


def find_onward(
    url: NormalisedUrl, answer: Answered | Redirected | FetchFailed, limits: FetchLimits
) -> NormalisedUrl | Answered | FetchFailed:
    """Return where the answer of `url` leads; if nowhere, the answer itself."""
    match answer:
        case Redirected(reference):
            return parse_redirect(url, reference)
        case Answered() if limits.follows_refresh and media_type(answer.headers) in REFRESHING_TYPES:
            target = parse_refresh(answer.headers.get("refresh", "")) or find_refresh(answer.body.content)
            return resolve_refresh(url, target) or answer
        case _:
            return answer


def parse_redirect(url: NormalisedUrl, reference: str) -> NormalisedUrl | FetchFailed:
    match join_url(url, reference):
        case OtherSchemeUrl():
            return FetchFailed(FetchReason.FORBIDDEN_SCHEME)
        case RejectedUrl():
            return FetchFailed(FetchReason.BAD_REDIRECT)
        case target:
            return target


def resolve_refresh(url: NormalisedUrl, reference: str | None) -> NormalisedUrl | None:
    """Return the other web page to which this one refreshes; None if it leads to an app or to itself."""
    target = join_url(url, reference) if reference is not None else None
    return target if isinstance(target, NormalisedUrl) and target != url else None


def finish(outcome: Answered | FetchFailed, journey: Journey) -> FetchOutcome:
    total_ms = journey.ms_until(time.perf_counter())
    hops = tuple(journey.hops)
    if isinstance(outcome, FetchFailed):
        EGRESS.labels("failed", outcome.label).inc()
        return replace(outcome, hops=hops, total_ms=total_ms)
    FETCHED.inc()
    return Fetched(
        journey.visit.url,
        outcome.status,
        outcome.headers,
        outcome.body.content,
        hops,
        Timings(journey.ms_until(journey.visit.headers_at), total_ms),
        outcome.body.truncated,
        outcome.body.file,
    )
