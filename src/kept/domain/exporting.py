"""What libraries are exported as."""

from enum import StrEnum


class ExportFormat(StrEnum):
    JSON = "json"
    HTML = "html"
    CSV = "csv"
    EPUB = "epub"
    FOLDER = "folder"
    HIGHLIGHTS_MARKDOWN = "highlights-markdown"
    HIGHLIGHTS_CSV = "highlights-csv"
    HIGHLIGHTS_JSON = "highlights-json"
