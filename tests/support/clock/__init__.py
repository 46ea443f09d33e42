"""A clock that can be set, for processes that are started with its variables."""

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Clock:
    file: Path

    def __post_init__(self) -> None:
        self.set(0)

    def set(self, shift_seconds: float) -> None:
        """Hours ahead or behind, from the next look at the clock on."""
        new = self.file.with_suffix(".new")
        new.write_text(str(shift_seconds))
        new.rename(self.file)

    @property
    def variables(self) -> dict[str, str]:
        return {"PYTHONPATH": str(Path(__file__).parent / "set"), "CLOCK_SHIFT": str(self.file)}
