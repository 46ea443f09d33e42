"""Act on several items, each by itself, and count those that refuse."""

from collections.abc import Awaitable, Callable, Sequence
from uuid import UUID

from kept.domain.bulk_result import BulkResult
from kept.domain.errors import KeptError

Refusals = tuple[type[KeptError], ...]


async def act_on_each(
    item_ids: Sequence[UUID],
    act: Callable[[UUID], Awaitable[object]],
    *,
    refusals: Refusals,
    never_raised: Refusals = (),
) -> BulkResult:
    """What the only item refuses is raised, unless it is `never_raised`."""
    wanted, done = list(dict.fromkeys(item_ids)), []
    for item_id in wanted:
        try:
            await act(item_id)
            done.append(item_id)
        except never_raised:
            continue
        except refusals:
            if len(wanted) == 1:
                raise
    return BulkResult(tuple(done), refused=len(wanted) - len(done))
