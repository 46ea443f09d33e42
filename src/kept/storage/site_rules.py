"""The folder of site rules: read when first asked, and again when a file in it is new, changed or gone.

Bounded in number and size. A file that cannot be used is passed over and told in the log and by `kept doctor`.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final, NamedTuple

import structlog

from kept.content.article.site_rule_files import RuleFaults, parse_site_rule
from kept.content.article.site_rules import SiteRule

log = structlog.get_logger("kept.site_rules")

MAX_FILES: Final = 200
MAX_BYTES: Final = 16 * 1024
SUFFIX: Final = ".toml"


class Stamp(NamedTuple):
    """A file's stamp, by which a change is noticed without reading the file."""

    path: Path
    changed_ns: int
    size: int


@dataclass(frozen=True, slots=True)
class ReadRules:
    rules: tuple[SiteRule, ...] = ()
    """The rules, by file name; of two for the same host the first counts."""
    faults: tuple[str, ...] = ()
    """A line for each fault, with the names of file and field."""


class SiteRuleFolder:
    """The site rules in a folder or a single file; without a path, or where nothing is there, there are none."""

    def __init__(self, path: Path | None = None) -> None:
        self.path: Final = path
        self._stamps: tuple[Stamp, ...] = ()
        self._read = self._told = ReadRules()

    def find(self, host: str) -> SiteRule | None:
        read = self.read()
        if read is not self._told:
            self._told = read
            for fault in read.faults:
                log.warning("site_rules.invalid", fault=fault)
        return next((rule for rule in read.rules if rule.covers(host)), None)

    def read(self) -> ReadRules:
        stamps = tuple(self._list_stamps())
        if stamps != self._stamps:
            self._stamps, self._read = stamps, read_rules(stamps)
        return self._read

    def _list_stamps(self) -> Iterator[Stamp]:
        for path in self._list_files():
            try:
                found = path.stat()
            except OSError:  # removed a moment ago
                continue
            yield Stamp(path, found.st_mtime_ns, found.st_size)

    def _list_files(self) -> list[Path]:
        """List one file more than may be used, so that the excess is reported."""
        if self.path is None:
            return []
        if self.path.is_file():
            return [self.path]
        try:
            return sorted(path for path in self.path.iterdir() if path.suffix == SUFFIX)[: MAX_FILES + 1]
        except OSError:
            return []


def read_rules(stamps: tuple[Stamp, ...]) -> ReadRules:
    rules: list[SiteRule] = []
    faults = [] if len(stamps) <= MAX_FILES else [f"{stamps[MAX_FILES].path.name}: more than {MAX_FILES} files"]
    for stamp in stamps[:MAX_FILES]:
        match read_rule(stamp):
            case SiteRule() as rule:
                faults += find_repeated_hosts(rule, rules)
                rules.append(rule)
            case RuleFaults(lines):
                faults += lines
    return ReadRules(tuple(rules), tuple(faults))


def read_rule(stamp: Stamp) -> SiteRule | RuleFaults:
    name = stamp.path.name
    if stamp.size > MAX_BYTES:
        return RuleFaults((f"{name}: is larger than {MAX_BYTES:,} bytes",))
    try:
        with stamp.path.open("rb") as file:
            return parse_site_rule(file.read(MAX_BYTES).decode(), name)
    except OSError as error:
        return RuleFaults((f"{name}: cannot be read: {error.strerror}",))
    except UnicodeDecodeError:
        return RuleFaults((f"{name}: is not text in UTF-8",))


def find_repeated_hosts(rule: SiteRule, others: list[SiteRule]) -> list[str]:
    known = {host: other.file for other in reversed(others) for host in other.hosts}
    return [f"{rule.file}: hosts: {host} is in {known[host]} too, which counts" for host in rule.hosts if host in known]
