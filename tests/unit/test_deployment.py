"""Images, compose files and the unit, as far as they can be read without an engine."""

import json
import re
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml

from kept.config import VARIABLES, Settings
from kept.domain.job import Queue
from kept.version import __version__
from support.servers.commands import COMMANDS

pytestmark = pytest.mark.requirement("Kept", "`compose.yaml` works alone; the image runs as any user")

ROOT = Path(__file__).parents[2]
DOCKERFILE = (ROOT / "docker" / "Dockerfile").read_text()
UNIT = (ROOT / "deploy" / "systemd" / "kept.service").read_text()
COMPOSE = {name: yaml.safe_load((ROOT / name).read_text()) for name in ("compose.yaml", "compose.scale.yaml")}
BUILT = yaml.safe_load((ROOT / "docker" / "compose.build.yaml").read_text())["services"]["kept"]
SERVICES = [
    pytest.param(name, service, id=f"{file} {name}")
    for file, found in COMPOSE.items()
    for name, service in found["services"].items()
]
OWN = [
    pytest.param("kept", COMPOSE["compose.yaml"]["services"]["kept"] | BUILT, id="compose.yaml kept, built"),
    *(case for case in SERVICES if "build" in case.values[1]),  # type: ignore[operator]
]


def stages() -> dict[str, str]:
    """Each stage's name and its lines, those of its parents first."""
    found: dict[str, str] = {}
    for block in re.split(r"^(?=FROM )", DOCKERFILE, flags=re.MULTILINE)[1:]:
        parent, name = re.match(r"FROM (\S+) AS (\S+)", block).groups()  # type: ignore[union-attr]
        found[name] = found.get(parent, "") + block
    return found


def last(instruction: str, stage: str) -> str:
    return str(re.findall(rf"^{instruction} (.+)$", stages()[stage], re.MULTILINE)[-1])


@pytest.mark.parametrize("image", ["api", "worker", "render", "all"])
def test_each_image_runs_as_nobody_in_particular_with_a_command_that_exists(image: str) -> None:
    assert last("USER", image) == "10001:10001"
    assert re.search(r"^HEALTHCHECK ", stages()[image], re.MULTILINE)
    check_command(json.loads(last("CMD", image)))


@pytest.mark.parametrize("image", ["api", "worker", "render", "all"])
def test_each_image_has_the_bytecode_of_the_standard_library(image: str) -> None:
    version = re.findall(r"^ARG PYTHON=python:(3\.\d+)", DOCKERFILE, re.MULTILINE)[0]
    assert re.search(rf"^RUN python -m compileall .* /usr/local/lib/python{version}$", stages()[image], re.MULTILINE)


def check_command(command: list[str]) -> None:
    if command[0] == "kept":
        assert command[1] in COMMANDS
        return
    assert command[:3] == ["celery", "-A", "kept.worker.celery_app"]
    assert set(command[command.index("-Q") + 1].split(",")) <= set(Queue)


def test_only_the_images_that_need_them_have_node_and_chromium() -> None:
    copied = {name: re.findall(r"COPY --from=(\S+) /opt/kept", text) for name, text in stages().items()}
    for image in ("api", "worker"):
        assert "chromium" not in stages()[image]
        [environment] = copied[image]
        assert "rm -rf /opt/kept/lib/python3.11/site-packages/playwright/driver" in stages()[environment]
    assert "--extra node" not in stages()["environment-api"]
    for image in ("worker", "render", "all"):
        assert "--extra node" in stages()[copied[image][0]]
    for image in ("render", "all"):
        assert "chromium" in stages()[image]


def test_every_python_package_comes_from_the_lock_with_its_hash() -> None:
    installs = re.findall(r"^RUN (?:uv )?pip install[^\n]*(?:\\\n[^\n]*)*", DOCKERFILE, re.MULTILINE)
    assert len(installs) == 5
    for install in installs:
        from_lock = "--require-hashes" in install
        is_ours = "--no-deps /wheels/" in install
        is_uv = "requirements.lock)" in install and "# uv: " in install
        assert from_lock or is_ours or is_uv, install
    assert re.search(r"^# uv: uv==[\d.]+$", (ROOT / "requirements.lock").read_text(), re.MULTILINE)
    pinned = (ROOT / "docker" / "build-requirements.txt").read_text()
    names = re.findall(r"^([a-z0-9-]+)==", pinned, re.MULTILINE)
    assert "hatchling" in names
    assert len(re.findall(r"^[a-z0-9-]+==[^\n]*\\\n\s+--hash=sha256:", pinned, re.MULTILINE)) == len(names)


def test_the_python_folder_in_the_dockerfile_is_that_of_the_base_image() -> None:
    [version] = re.findall(r"^ARG PYTHON=python:(\d+\.\d+)", DOCKERFILE, re.MULTILINE)
    assert set(re.findall(r"python(\d\.\d+)/site-packages", DOCKERFILE)) == {version}


def test_no_image_is_a_moving_target() -> None:
    bases = re.findall(r"^ARG \w+=(\S+)$", DOCKERFILE, re.MULTILINE)
    named = [plain(service.values[1]["image"]) for service in SERVICES]  # type: ignore[index]
    for image in [*bases, *named]:
        tag = image.rpartition(":")[2]
        assert ":" in image
        assert "latest" not in tag
        assert re.search(r"\d+\.\d+\.\d+|\d{4}-\d{2}-\d{2}|\d+\.\d+-", tag), image


def test_everything_the_images_copy_is_let_through() -> None:
    allowed = {line[1:] for line in (ROOT / ".dockerignore").read_text().splitlines() if line.startswith("!")}
    for line in re.findall(r"^COPY (?!--from)(.+)$", DOCKERFILE, re.MULTILINE):
        *sources, _ = [part for part in line.split() if not part.startswith("--")]
        for source in sources:
            assert list(ROOT.glob(source)), source
            assert source in allowed or source.partition("/")[0] in allowed, source


@pytest.mark.parametrize(("name", "service"), SERVICES)
def test_every_variable_of_ours_exists(name: str, service: dict[str, Any]) -> None:
    used = {variable for variable in service.get("environment", {}) if variable.startswith("KEPT_")}
    assert used <= set(VARIABLES.values())


def test_every_variable_in_images_and_unit_exists() -> None:
    for text in (DOCKERFILE, UNIT, (ROOT / "docker" / "healthcheck.py").read_text()):
        assert set(re.findall(r"KEPT_[A-Z0-9_]+", text)) <= set(VARIABLES.values())


@pytest.mark.parametrize(("name", "service"), OWN)
def test_our_services_have_no_more_than_they_need(name: str, service: dict[str, Any]) -> None:
    assert service["build"]["target"] in stages()
    assert (ROOT / service["build"]["dockerfile"]).is_file()
    assert plain(service["image"]).endswith(f":{__version__}")
    assert plain(service["user"]) == "10001:10001"
    assert service["read_only"] is True
    assert service["cap_drop"] == ["ALL"]
    assert "no-new-privileges:true" in service["security_opt"]
    assert any(mount.startswith("/tmp") for mount in service["tmpfs"])
    if "command" in service:
        check_command(service["command"])
    has_browser = service["build"]["target"] in {"render", "all"}
    assert any(option.startswith("seccomp=") for option in service["security_opt"]) == has_browser
    if name != "migrate":
        assert service["mem_limit"]


def test_ports_agree() -> None:
    port = str(Settings.model_fields["port"].default)
    for image in ("api", "all"):
        assert last("EXPOSE", image) == port
        assert f"KEPT_PORT={port}" in stages()[image]
    [published] = COMPOSE["compose.yaml"]["services"]["kept"]["ports"]
    assert plain(published) == f"127.0.0.1:{port}:{port}"
    assert COMPOSE["compose.scale.yaml"]["services"]["proxy"]["ports"] == [f"127.0.0.1:{port}:{port}"]
    proxy = (ROOT / "docker" / "haproxy.cfg").read_text()
    assert f"bind :{port}\n" in proxy
    assert set(re.findall(r"server-template \S+ \d+ (\S+)", proxy)) == {f"api:{port}"}


def test_compose_yaml_is_one_file_that_needs_no_other() -> None:
    kept = COMPOSE["compose.yaml"]["services"]["kept"]
    assert not {"build", "env_file", "extends", "configs", "secrets"} & kept.keys()
    assert not {"include", "configs", "secrets"} & COMPOSE["compose.yaml"].keys()
    [volume] = kept["volumes"]
    assert plain(volume).partition(":")[0] in COMPOSE["compose.yaml"]["volumes"]
    paths = [plain(option).partition("=")[2] for option in kept["security_opt"] if option.startswith("seccomp=")]
    assert paths == ["unconfined"]


def test_the_profile_for_the_browser_is_the_one_that_is_documented() -> None:
    render = COMPOSE["compose.scale.yaml"]["services"]["render"]
    assert "seccomp=docker/seccomp-chromium.json" in render["security_opt"]
    told = (ROOT / "docs" / "operating.md").read_text() + (ROOT / "docker" / "compose.build.yaml").read_text()
    assert "KEPT_SECCOMP=docker/seccomp-chromium.json" in told
    assert (ROOT / "docker" / "seccomp-chromium.json").is_file()


def test_what_can_be_set_for_compose_is_in_its_heading_and_in_the_docs() -> None:
    text = (ROOT / "compose.yaml").read_text()
    heading, _, rest = text.partition("name: kept")
    variables = set(re.findall(r"\$\{(\w+)", rest)) - set(VARIABLES.values())
    assert variables == {"KEPT_IMAGE", "KEPT_PUBLISH", "KEPT_VOLUME", "KEPT_SECCOMP", "PUID", "PGID"}
    for name in variables:
        assert name in heading
        assert f"`{name}`" in (ROOT / "docs" / "operating.md").read_text()


def test_the_grown_up_setting_makes_sense_as_settings() -> None:
    environment = COMPOSE["compose.scale.yaml"]["services"]["api"]["environment"]
    values: dict[str, Any] = {name.removeprefix("KEPT_").lower(): plain(value) for name, value in environment.items()}
    made = Settings(**{name: value for name, value in values.items() if value})
    assert (made.executor, made.auto_migrate, made.blob_url) == ("celery", False, "s3://kept")
    subnet = COMPOSE["compose.scale.yaml"]["networks"]["front"]["ipam"]["config"][0]["subnet"]
    assert made.trusted_proxies == subnet


def plain(value: str) -> str:
    """A value with its default, or with a word where one must be chosen."""
    chosen = re.sub(r"\$\{\w+:\?[^}]*\}", "x", value)
    return re.sub(r"\$\{\w+:-([^}]*)\}", r"\1", chosen)


def test_the_browser_shares_no_network_but_an_internal_one() -> None:
    scale = COMPOSE["compose.scale.yaml"]
    shared = {name for name, service in scale["services"].items() if "browsing" in service["networks"]}
    assert shared == {"render"}
    assert scale["networks"]["data"]["internal"] is True
    assert set(scale["services"]["render"]["networks"]) == {"data", "browsing"}
    for name in ("postgres", "redis", "minio"):
        assert scale["services"][name]["networks"] == ["data"]
        assert "ports" not in scale["services"][name]


def test_everybody_waits_for_the_one_who_migrates() -> None:
    services = COMPOSE["compose.scale.yaml"]["services"]
    for name in ("api", "worker", "render"):
        assert services[name]["depends_on"]["migrate"]["condition"] == "service_completed_successfully"
        assert services[name]["environment"]["KEPT_AUTO_MIGRATE"] == "false"
    assert services["migrate"]["command"] == ["kept", "migrate"]
    assert services["migrate"]["restart"] == "no"


def test_no_secret_has_a_value() -> None:
    text = (ROOT / "compose.scale.yaml").read_text() + (ROOT / "docker" / "scale.env.example").read_text()
    for name, value in re.findall(r"^ *(\w*(?:PASSWORD|SECRET)\w*)[=:][ ]*(\S*)$", text, re.MULTILINE):
        assert value == "" or value.startswith("${"), name


def test_the_unit_is_hardened_and_leaves_the_sandbox_what_it_needs() -> None:
    lines = [line for line in UNIT.splitlines() if "=" in line and not line.startswith("#")]
    said = dict(line.split("=", 1) for line in lines)
    assert said["ExecStart"].split()[-2:] == ["/opt/kept/.venv/bin/kept", "serve"]
    assert "serve" in COMMANDS
    for name in ("NoNewPrivileges", "ProtectHome", "PrivateTmp", "PrivateDevices", "ProtectKernelModules"):
        assert said[name] == "yes"
    assert (said["ProtectSystem"], said["CapabilityBoundingSet"], said["User"]) == ("strict", "", "kept")
    assert "chroot" in said["SystemCallFilter"]
    assert not {"RestrictNamespaces", "MemoryDenyWriteExecute"} & said.keys()


def test_the_lock_is_for_the_extras_that_images_install() -> None:
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    assert set(re.findall(r"--extra (\w+)", DOCKERFILE)) <= extras.keys()


def test_commands_beside_the_service_have_its_user_folders_and_settings() -> None:
    wrapper = (ROOT / "deploy" / "systemd" / "kept").read_text()
    unit = dict(line.partition("=")[::2] for line in UNIT.splitlines() if "=" in line and not line.startswith("#"))
    for name in ("User", "Group", "UMask", "WorkingDirectory", "EnvironmentFile"):
        assert f"--property={name}={unit[name]}" in wrapper
    assert f"--setenv={unit['Environment'].split()[0]}" in wrapper
    assert unit["ExecStart"].removesuffix(" serve") in wrapper


def test_a_server_with_wrong_settings_is_not_started_again_and_again() -> None:
    assert "RestartPreventExitStatus=2" in UNIT
