"""A message for people: an English sentence, with a name for each value in it. Pages translate it."""

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Message:
    """A message whose `text` has `%(name)s` for each of `values`; `str(message)` is the sentence in English."""

    text: str
    values: Mapping[str, object] = field(default_factory=dict)

    def __str__(self) -> str:
        return self.text % self.values if self.values else self.text
