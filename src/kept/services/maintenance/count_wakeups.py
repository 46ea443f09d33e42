"""How many wakeups of workers wait on the broker."""

import asyncio

from kept.config import Settings
from kept.domain.job import Queue


async def count_wakeups(settings: Settings) -> int:
    """ImportError without the celery extra; whatever a broker's client raises where the broker does not answer."""
    assert settings.broker_url is not None
    return await asyncio.to_thread(_count, settings.broker_url.get_secret_value())


def _count(broker_url: str) -> int:
    from kept.jobs.broker import WakeupSender  # the celery extra

    sender = WakeupSender(broker_url)
    try:
        return sum(sender.count(queue) for queue in Queue)
    finally:
        sender.close()
