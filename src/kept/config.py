"""The one configuration object: defaults, then `kept.toml`, then `KEPT_*` variables; frozen once read.

Only entry points read the environment and the file; everything below them is given a `Settings`.
"""

import os
import re
from collections.abc import Mapping
from importlib.util import find_spec
from ipaddress import IPv4Network, IPv6Network, ip_network
from pathlib import Path
from typing import Annotated, Any, Final, Literal, NamedTuple, Self
from urllib.parse import urlsplit

from pydantic import BaseModel, ConfigDict, Field, SecretStr, ValidationError, field_validator, model_validator
from pydantic_settings import BaseSettings, PydanticBaseSettingsSource, SettingsConfigDict, TomlConfigSettingsSource

from kept.domain.errors import OperatorError
from kept.validation import explain_fault

MIB: Final = 1024 * 1024
PREFIX: Final = "KEPT_"
CONFIG_FILE_VARIABLE: Final = "KEPT_CONFIG"
DATA_DIR_VARIABLE: Final = "KEPT_DATA_DIR"
CONTACT_URL: Final = re.compile(r"(https?://|mailto:)[!#-'*-;=?-Z_a-z~%\[\]@]{3,500}")

Seconds = Annotated[float, Field(gt=0)]
Count = Annotated[int, Field(ge=1)]


class ConfigError(OperatorError):
    """The configuration cannot be used; the message tells a person which setting and why."""

    exit_code = 2


class AllowedTarget(NamedTuple):
    """One entry of `KEPT_FETCH_ALLOW`: addresses inside our own network that may be fetched, on one port."""

    network: IPv4Network | IPv6Network
    port: int

    def __str__(self) -> str:
        shown = f"[{self.network}]" if self.network.version == 6 else str(self.network)
        return f"{shown}:{self.port}"


def parse_allowed_target(text: str) -> AllowedTarget:
    network_text, separator, port_text = text.strip().rpartition(":")
    if not separator or not port_text.isdecimal() or not 0 < int(port_text) < 65536:
        raise ValueError(f"'{text}' is not of the form cidr:port or [cidr6]:port")
    network = ip_network(network_text.strip("[]"))
    if (network.version == 6) != network_text.startswith("["):
        raise ValueError(f"'{text}': write IPv6 as [cidr6]:port")
    return AllowedTarget(network, int(port_text))


def find_data_dir() -> Path:
    """Return the folder of `kept.toml`: the one that the variable names, or the default."""
    named = os.environ.get(DATA_DIR_VARIABLE)
    return Path(named) if named else default_data_dir()


def default_data_dir() -> Path:
    return Path(os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share") / "kept"


class Limits(BaseModel):
    """Bounds that are the same in every Kept: tests may set them, the environment and `kept.toml` may not."""

    model_config = ConfigDict(frozen=True, extra="forbid", validate_default=True)

    # requests and uploads
    max_connections_per_address: Count = Field(
        200, description="open connections from one address that is no trusted proxy"
    )
    setup_link_hours: Count = Field(24, description="hours the first-run set-up link is valid")
    max_body_bytes: Count = Field(1 * MIB, description="largest request body accepted outside imports")
    max_import_rows: Count = Field(500_000, description="most links in one import")
    max_waiting_imports: Count = Field(5, description="uploaded files of one user that wait to be imported")
    max_waiting_import_bytes: Count = Field(
        200 * MIB, description="bytes of them together; one file alone may have more, up to the limit for a file"
    )
    max_page_upload_bytes: Count = Field(30 * MIB, description="largest page uploaded as a file, without gzip")
    page_read_seconds: Seconds = Field(10.0, description="hard limit for each step of reading an uploaded page")
    page_memory_bytes: Count = Field(768 * MIB, description="memory of the process that reads an uploaded page")
    max_document_bytes: Count = Field(50 * MIB, description="largest PDF, e-book, text or image kept as a document")
    document_read_seconds: Seconds = Field(15.0, description="hard limit for each step of reading a document")
    document_memory_bytes: Count = Field(1024 * MIB, description="memory of the process that reads a document")
    import_read_seconds: Seconds = Field(20.0, description="hard limit for reading the next rows of an imported file")
    import_memory_bytes: Count = Field(1024 * MIB, description="memory of the process that reads an imported file")

    # saving: the fetch inside the request
    save_fetch_seconds: Seconds = Field(3.0, description="for the page's HTML while a save waits")
    save_budget_seconds: Seconds = Field(4.0, description="for everything a save does before it answers")
    save_max_bytes: Count = Field(5 * MIB, description="largest page fetched while a save waits, decoded")
    save_parse_bytes: Count = Field(1 * MIB, description="how much of it is parsed for the card")

    # fetching: the gate
    fetch_connect_seconds: Seconds = Field(10.0, description="to connect to a site, in a worker")
    fetch_read_seconds: Seconds = Field(15.0, description="between two reads from a site, in a worker")
    fetch_max_redirects: int = Field(5, ge=0, le=20, description="redirects followed")
    fetch_max_bytes: Count = Field(10 * MIB, description="largest page fetched in a worker, decoded")
    fetch_per_host: Count = Field(4, description="requests at once to one host")
    fetch_per_user: Count = Field(64, description="requests at once for one user")

    # images
    image_max_bytes: Count = Field(10 * MIB, description="largest image fetched")
    image_fetch_seconds: Seconds = Field(15.0, description="for one image, from the first byte to the last")
    image_count: Count = Field(100, description="images stored of one page")
    image_decode_seconds: Seconds = Field(10.0, description="hard limit for decoding one image")
    image_memory_bytes: Count = Field(768 * MIB, description="memory one image process may use")

    # workers and their subprocesses
    job_seconds: Seconds = Field(40.0, description="hard limit for one job")
    extract_seconds: Seconds = Field(8.0, description="hard limit for turning one page into an article")
    extract_memory_bytes: Count = Field(1024 * MIB, description="memory one extraction process may use")
    extract_idle_seconds: Seconds = Field(60.0, description="until an idle extraction process is stopped")
    browser_memory_bytes: Count = Field(1024 * MIB, description="memory of one browser, all its processes")
    browser_max_pages: Count = Field(50, description="pages until a browser is replaced")
    browser_idle_seconds: Seconds = Field(60.0, description="until an unused browser is closed")
    render_settle_seconds: Seconds = Field(3.0, description="for scripts and images once a page is there")
    render_wait_seconds: Seconds = Field(
        86_400.0,
        description="to wait for a render worker where none is at work; then pages end without a browser",
    )
    render_max_bytes: Count = Field(64 * MIB, description="traffic of one rendered page")
    whole_page_max_bytes: Count = Field(30 * MIB, description="largest whole page, screenshot or PDF kept of one page")

    @model_validator(mode="after")
    def require_coherence(self) -> Self:
        if self.save_fetch_seconds > self.save_budget_seconds:
            raise ValueError("save_fetch_seconds must not exceed save_budget_seconds")
        return self


class Settings(BaseSettings):
    """Every setting that an operator has a reason to change. Its variable is `KEPT_` and the name in capitals."""

    # Lists are written with commas and split by the validators; they are not decoded as JSON.
    model_config = SettingsConfigDict(
        env_prefix=PREFIX,
        env_ignore_empty=True,
        enable_decoding=False,
        frozen=True,
        extra="forbid",
        validate_default=True,
    )

    # where Kept listens and lives
    host: str = Field("127.0.0.1", description="address to listen on")
    port: int = Field(8484, ge=0, lt=65536, description="port to listen on")
    public_url: str | None = Field(None, description="the URL people use, e.g. https://kept.example.org")
    allowed_hosts: frozenset[str] = Field(
        frozenset(),
        description="host names, besides private ones and that of KEPT_PUBLIC_URL, that links may use; * all",
    )
    trusted_proxies: str = Field("127.0.0.1", description="reverse proxies whose X-Forwarded-* headers count")
    stop_notice_seconds: Annotated[float, Field(ge=0)] = Field(
        0.0, description="to go on serving, though no longer ready, when told to stop: for a proxy to notice"
    )
    data_dir: Path = Field(default_factory=default_data_dir, description="folder for everything Kept stores")
    database_url: SecretStr | None = Field(None, description="postgresql://… ; SQLite in the data folder if unset")
    auto_migrate: bool = Field(True, description="bring the database schema up to date at start")
    log_level: Literal["debug", "info", "warning", "error"] = Field("info", description="least severe line to log")
    log_format: Literal["auto", "console", "json"] = Field("auto", description="auto: console on a terminal, else JSON")
    role: Literal["all", "api", "worker", "render"] = Field(
        "all", description="what `kept doctor` expects here: everything, or what one image needs"
    )

    # accounts
    session_days: Count = Field(30, description="days until an unused web session ends")
    login_rate: str = Field(
        "10/minute", description="sign-in attempts per user name and address; three times as many per address"
    )
    save_rate: str = Field("120/minute", description="saves, enrichments and retries per user")
    rate_limit_storage_url: SecretStr | None = Field(
        None, description="redis://… to share limits between API processes"
    )
    max_import_bytes: Count = Field(100 * MIB, description="largest file accepted for an import")

    # fetching: the gate
    fetch_ports: frozenset[int] = Field(
        frozenset({80, 443, 8000, 8080, 8443}), description="ports that may be fetched from"
    )
    fetch_allow: tuple[AllowedTarget, ...] = Field(
        (), description="cidr:port,… inside the own network that may be saved"
    )
    fetch_deny: tuple[IPv4Network | IPv6Network, ...] = Field(
        (), description="cidr,… never fetched from, such as the own public address behind a router"
    )
    user_agent_contact_url: str | None = Field(
        None,
        description="https://… or mailto:… where sites can reach you, in the User-Agent; else /bot of the public URL",
    )

    # ingesting
    site_rules: Path | None = Field(
        None, description="folder of site rules, see site-rules.md; site-rules in the data folder if unset"
    )
    archive: bool = Field(True, description="save the articles of saved pages; false: cards only, articles on demand")
    render: Literal["auto", "always", "never"] = Field("auto", description="when a browser visits a page")
    whole_page: Literal["never", "asked", "always"] = Field(
        "asked", description="when a copy of the whole page is kept beside the article: as a browser shows it"
    )
    whole_page_quota_bytes: int = Field(0, ge=0, description="bytes of whole pages one user may keep; 0: no limit")
    store_images: bool = Field(True, description="store the images of articles")
    image_total_bytes: Count = Field(50 * MIB, description="bytes of images stored of one page")
    image_processes: Count = Field(2, description="processes that decode images, in each API or worker process")
    max_attempts: Count = Field(3, description="attempts at a page before giving up")
    retry_backoff_base: Seconds = Field(2.0, description="seconds before the second attempt; doubles after")
    host_gap_seconds: Annotated[float, Field(ge=0)] = Field(
        1.0, description="least time between two fetches of one host"
    )
    host_concurrency: Count = Field(2, description="jobs at once for one host")

    # workers
    executor: Literal["local", "celery"] = Field("local", description="who runs jobs")
    broker_url: SecretStr | None = Field(None, description="redis://… or amqp://… for Celery")
    ingest_concurrency: Count = Field(8, description="ingest jobs at once in one worker")
    render_concurrency: Count = Field(1, description="browsers at once in one worker")
    lease_seconds: Seconds = Field(10.0, description="until the job of a worker that died is run again")
    drain_seconds: Seconds = Field(8.0, description="for running jobs to end when a worker is stopped")
    worker_metrics_port: int = Field(
        0, ge=0, lt=65536, description="loopback port for the metrics of a `kept worker`; 0: none"
    )
    extractors: Count = Field(2, description="extraction processes in one worker")
    chromium: Path | None = Field(None, description="browser program; searched for if unset")
    browser_sandbox: Literal["auto", "off"] = Field(
        "auto", description="auto: on unless root; off where containers forbid it"
    )
    node: Path | None = Field(None, description="Node program; searched for if unset")

    # blobs
    blob_url: str | None = Field(None, description="s3://bucket/prefix ; a folder in the data folder if unset")
    s3_endpoint: str | None = Field(None, description="for S3 look-alikes, e.g. http://minio:9000")
    s3_region: str = Field("us-east-1", description="S3 region")
    s3_access_key_id: SecretStr | None = Field(None, description="S3 key; else the usual AWS variables")
    s3_secret_access_key: SecretStr | None = Field(None, description="S3 secret")

    limits: Limits = Field(Limits(), description="bounds that are no settings")

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """Let arguments take precedence over variables, and variables over the file."""
        return init_settings, env_settings, TomlConfigSettingsSource(settings_cls, find_config_file())

    @field_validator("limits", mode="before")
    @classmethod
    def refuse_limits_from_outside(cls, value: object) -> object:
        if not isinstance(value, Limits):
            raise ValueError("there is no such setting")
        return value

    @field_validator("fetch_ports", "fetch_deny", mode="before")
    @classmethod
    def split_list(cls, value: object) -> object:
        return [part.strip() for part in value.split(",")] if isinstance(value, str) else value

    @field_validator("allowed_hosts", mode="before")
    @classmethod
    def split_hosts(cls, value: object) -> object:
        return [part.strip().lower() for part in value.split(",")] if isinstance(value, str) else value

    @field_validator("fetch_allow", mode="before")
    @classmethod
    def split_allowed_targets(cls, value: object) -> object:
        entries = value.split(",") if isinstance(value, str) else value
        if not isinstance(entries, (list, tuple)):
            raise ValueError("write it as cidr:port,cidr:port")
        return tuple(parse_allowed_target(entry) if isinstance(entry, str) else entry for entry in entries if entry)

    @field_validator("public_url", "s3_endpoint")
    @classmethod
    def require_http_url(cls, value: str | None) -> str | None:
        if value is not None and (urlsplit(value).scheme not in {"http", "https"} or not urlsplit(value).hostname):
            raise ValueError(f"'{value}' is not an http(s) URL")
        return value.rstrip("/") if value else value

    @field_validator("public_url")
    @classmethod
    def require_no_path(cls, value: str | None) -> str | None:
        if value is not None and urlsplit(value).path:
            raise ValueError(f"'{value}' has a path: Kept needs a host name of its own")
        return value

    @field_validator("user_agent_contact_url")
    @classmethod
    def require_contact_url(cls, value: str | None) -> str | None:
        """Check the URL, which becomes part of a header, and a link on a page."""
        if value is not None and not CONTACT_URL.fullmatch(value):
            raise ValueError("write it as https://example.org/about or mailto:you@example.org")
        return value

    @field_validator("blob_url")
    @classmethod
    def require_s3_url(cls, value: str | None) -> str | None:
        if value is not None and (urlsplit(value).scheme != "s3" or not urlsplit(value).netloc):
            raise ValueError(f"'{value}' is not of the form s3://bucket/prefix")
        return value

    @field_validator("database_url")
    @classmethod
    def require_known_database(cls, value: SecretStr | None) -> SecretStr | None:
        if value is None:
            return value
        scheme, separator, _ = value.get_secret_value().partition("://")
        if not separator or scheme.partition("+")[0] not in {"postgresql", "postgres", "sqlite"}:
            raise ValueError("write it as postgresql://user:password@host/name or sqlite:////path/to/file")
        return value

    @model_validator(mode="after")
    def require_coherence(self) -> Self:
        if self.executor == "celery" and self.broker_url is None:
            raise ValueError("KEPT_EXECUTOR=celery needs KEPT_BROKER_URL")
        return self

    @property
    def keeps_whole_pages(self) -> bool:
        return self.whole_page != "never" and self.render != "never"

    @property
    def site_rules_folder(self) -> Path:
        return self.site_rules or self.data_dir / "site-rules"

    @property
    def sqlalchemy_url(self) -> str:
        """The database's URL in SQLAlchemy's spelling."""
        if self.database_url is None:
            return f"sqlite:///{self.data_dir / 'kept.db'}"
        scheme, _, rest = self.database_url.get_secret_value().partition("://")
        return f"sqlite://{rest}" if scheme.startswith("sqlite") else f"postgresql+psycopg://{rest}"


VARIABLES: Final = {name: f"{PREFIX}{name.upper()}" for name in Settings.model_fields if name != "limits"}
"""The variable of each setting, by its name."""


def find_config_file() -> Path | None:
    named = os.environ.get(CONFIG_FILE_VARIABLE)
    if named:
        if not Path(named).is_file():
            raise ConfigError(f"{CONFIG_FILE_VARIABLE}: there is no file {named}")
        return Path(named)
    return next((path for path in (Path("kept.toml"), find_data_dir() / "kept.toml") if path.is_file()), None)


def load_settings(**overrides: Any) -> Settings:
    """Read the configuration, or raise `ConfigError` with one line for each fault."""
    refuse_unknown_variables(os.environ)
    try:
        settings = Settings(**overrides)
    except ValidationError as error:
        raise ConfigError("\n".join(explain(fault) for fault in error.errors())) from None
    except ValueError as error:  # `kept.toml` is not valid TOML
        raise ConfigError(f"{find_config_file()}: {error}") from None
    missing = find_missing_extras(settings)
    if missing:
        raise ConfigError(
            f"the settings need optional packages that are not installed: pip install 'kept[{','.join(missing)}]'"
        )
    return settings


def find_missing_extras(settings: Settings) -> list[str]:
    """Return the extras, as pyproject.toml names them, that the settings need and that are not installed."""
    needed = {
        "postgres": ("psycopg", settings.sqlalchemy_url.startswith("postgresql")),
        "s3": ("obstore", settings.blob_url is not None),
        "celery": ("celery", settings.executor == "celery" or settings.rate_limit_storage_url is not None),
    }
    return [extra for extra, (module, is_needed) in needed.items() if is_needed and find_spec(module) is None]


def refuse_unknown_variables(environment: Mapping[str, str]) -> None:
    """Refuse a misspelt variable: the operator would trust a limit that is not there."""
    known = {*VARIABLES.values(), CONFIG_FILE_VARIABLE}
    unknown = sorted(name for name in environment if name.startswith(PREFIX) and name not in known)
    if unknown:
        raise ConfigError("\n".join(f"{name}: there is no such setting" for name in unknown))


def explain(fault: Mapping[str, Any]) -> str:
    if not fault["loc"]:
        return explain_fault(fault)
    return f"{PREFIX}{str(fault['loc'][0]).upper()}: {explain_fault(fault)}"
