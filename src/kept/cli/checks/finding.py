"""What a check found, and what to do about it."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Literal

from kept.config import Settings

State = Literal["ok", "limited", "broken"]


@dataclass(frozen=True, slots=True)
class Finding:
    """`limited`: Kept runs, and something is missing. `broken`: it does not, or is not safe."""

    name: str
    state: State
    message: str
    advice: str = ""


Check = Callable[[Settings], Awaitable[Finding]]
