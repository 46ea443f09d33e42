"""Who calls the tools: set for each HTTP request, and once for a process that talks over stdio."""

from contextvars import ContextVar
from typing import Final

from kept.domain.account import Viewer

viewer_of_request: Final[ContextVar[Viewer]] = ContextVar("viewer_of_request")
