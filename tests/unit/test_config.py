from pathlib import Path

import pytest
from pydantic import ValidationError

from kept.config import ConfigError, Limits, load_settings


@pytest.mark.requirement("003", "§6.1 settings")
def test_the_defaults_are_those_of_the_specifications() -> None:
    settings = load_settings()
    limits = settings.limits
    assert (limits.save_fetch_seconds, limits.save_budget_seconds) == (3, 4)
    assert (limits.save_max_bytes, limits.fetch_max_bytes) == (5 * 1024**2, 10 * 1024**2)
    assert (limits.fetch_connect_seconds, limits.fetch_read_seconds) == (10, 15)
    assert (limits.fetch_max_redirects, settings.max_attempts, settings.retry_backoff_base) == (5, 3, 2)
    assert settings.archive
    assert settings.user_agent_contact_url is None


def test_every_fault_is_one_line_that_names_its_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KEPT_PORT", "eighty")
    monkeypatch.setenv("KEPT_FETCH_ALLOW", "10.0.0.0/8")
    with pytest.raises(ConfigError) as caught:
        load_settings()
    port, allow = sorted(str(caught.value).splitlines(), reverse=True)
    assert port.startswith("KEPT_PORT: ")
    assert allow.startswith("KEPT_FETCH_ALLOW: '10.0.0.0/8' is not of the form")


def test_a_misspelt_variable_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KEPT_SAVE_BUDGET", "1")
    with pytest.raises(ConfigError, match="KEPT_SAVE_BUDGET: there is no such setting"):
        load_settings()


@pytest.mark.parametrize("name", [*Limits.model_fields, "limits", "limits__job_seconds"])
def test_a_limit_in_the_environment_is_refused(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(f"KEPT_{name.upper()}", "1")
    with pytest.raises(ConfigError, match=f"KEPT_{name.upper()}: there is no such setting"):
        load_settings()


@pytest.mark.parametrize("text", ["job_seconds = 1.0", "[limits]\njob_seconds = 1.0"])
def test_a_limit_in_the_file_is_refused(text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "kept.toml").write_text(text)
    monkeypatch.setenv("KEPT_DATA_DIR", str(tmp_path))
    with pytest.raises(ConfigError, match=r"KEPT_(JOB_SECONDS|LIMITS): there is no such"):
        load_settings()


def test_a_program_may_be_given_limits() -> None:
    settings = load_settings(limits=Limits(job_seconds=7))
    assert (settings.limits.job_seconds, settings.limits.extract_seconds) == (7, 8)


def test_limits_that_make_no_sense_are_refused() -> None:
    with pytest.raises(ValidationError, match="save_fetch_seconds must not exceed save_budget_seconds"):
        Limits(save_fetch_seconds=5)
    with pytest.raises(ValidationError):
        Limits(job_seconds=0)


def test_settings_that_need_packages_which_are_not_installed_say_how_to_install_them(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("kept.config.find_spec", lambda _: None)
    monkeypatch.setenv("KEPT_DATABASE_URL", "postgresql://kept@127.0.0.1/kept")
    monkeypatch.setenv("KEPT_BLOB_URL", "s3://kept")
    monkeypatch.setenv("KEPT_EXECUTOR", "celery")
    monkeypatch.setenv("KEPT_BROKER_URL", "redis://127.0.0.1/0")
    with pytest.raises(ConfigError, match=r"pip install 'kept\[postgres,s3,celery\]'"):
        load_settings()


def test_a_public_url_with_a_path_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KEPT_PUBLIC_URL", "https://example.org/kept")
    with pytest.raises(ConfigError, match=r"KEPT_PUBLIC_URL: .* has a path"):
        load_settings()


def test_a_slash_at_the_end_of_the_public_url_is_no_path(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KEPT_PUBLIC_URL", "https://kept.example.org/")
    assert load_settings().public_url == "https://kept.example.org"


def test_what_is_given_goes_before_variables_and_those_before_the_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "kept.toml").write_text('host = "file"\nport = 1\nrender = "never"\nfetch_ports = [80]\n')
    monkeypatch.setenv("KEPT_DATA_DIR", str(tmp_path))
    monkeypatch.setenv("KEPT_HOST", "variable")
    monkeypatch.setenv("KEPT_PORT", "2")
    settings = load_settings(port=3)
    assert (settings.render, settings.host, settings.port) == ("never", "variable", 3)
    assert settings.fetch_ports == {80}
    assert settings.model_fields_set == {"data_dir", "host", "port", "render", "fetch_ports"}


def test_an_empty_variable_counts_as_not_set_and_small_letters_as_capitals(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KEPT_PORT", "")
    monkeypatch.setenv("kept_host", "0.0.0.0")
    settings = load_settings()
    assert (settings.port, settings.host) == (8484, "0.0.0.0")


def test_a_name_in_the_file_that_is_no_setting_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "kept.toml").write_text("prot = 80\n")
    monkeypatch.setenv("KEPT_DATA_DIR", str(tmp_path))
    with pytest.raises(ConfigError, match="KEPT_PROT: there is no such field"):
        load_settings()
