"""What turning pages into articles needs; made once by the wiring."""

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime

from kept.clock import utc_now
from kept.config import Settings
from kept.fetch.gate import Gate
from kept.jobs.notifier import Notifier
from kept.services.ingesting.page_source import PageSource
from kept.services.pages.files import PageFiles
from kept.storage.database.engine import Database
from kept.storage.site_rules import SiteRuleFolder
from kept.subprocesses.document_reader import DocumentReaders
from kept.subprocesses.extractor_pool import ExtractorPool


@dataclass(frozen=True, slots=True)
class Ingester:
    database: Database
    gate: Gate
    extractors: ExtractorPool
    notifier: Notifier
    settings: Settings
    can_render: bool
    """Some worker has a browser."""
    files: PageFiles
    now: Callable[[], datetime] = utc_now
    site_rules: SiteRuleFolder = field(default_factory=SiteRuleFolder)

    @property
    def pages(self) -> PageSource:
        return PageSource(self.gate, self.extractors, self.settings, self.site_rules, self.database, self.now)

    @property
    def documents(self) -> DocumentReaders:
        return DocumentReaders.from_settings(self.settings)
