"""The result of a check: its state, a message, and advice."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Literal

from kept.config import Settings

State = Literal["ok", "limited", "broken"]


@dataclass(frozen=True, slots=True)
class Finding:
    """The result: with `limited` Kept runs but something is missing; with `broken` it does not run, or is not safe."""

    name: str
    state: State
    message: str
    advice: str = ""


Check = Callable[[Settings], Awaitable[Finding]]
