"""The Helm chart, rendered by helm, and the Quadlet units: they name only what images and settings have."""

import json
import re
import shutil
import subprocess
import sys
from configparser import ConfigParser
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml

from kept.config import VARIABLES, Settings
from kept.domain.job import Queue
from kept.version import __version__
from support.servers.commands import COMMANDS

ROOT = Path(__file__).parents[2]
CHART = ROOT / "deploy" / "helm" / "kept"
SCALED = ("scaled.enabled=true", "scaled.existingSecret=stores", "scaled.blobUrl=s3://kept")
INGRESS = ("ingress.enabled=true", "ingress.host=kept.example.org", "ingress.tlsSecret=tls")
SHAPES = {"embedded": INGRESS, "scaled": (*SCALED, *INGRESS, "settings.KEPT_SAVE_RATE=300/minute")}


def find_helm() -> str:
    own = Path(sys.executable).with_name("helm")
    helm = str(own) if own.is_file() else shutil.which("helm")
    if helm is None:
        pytest.skip("NOT RUN: there is no helm for this machine, so that the chart is not rendered")
    return helm


def run_helm(*arguments: str | Path) -> "subprocess.CompletedProcess[str]":
    return subprocess.run([find_helm(), *arguments], capture_output=True, text=True, check=False, timeout=120)


@cache
def render(*values: str) -> list[dict[str, Any]]:
    chosen = [part for value in values for part in ("--set", value)]
    made = run_helm("template", "kept", CHART, *chosen)
    assert made.returncode == 0, made.stderr
    return [document for document in yaml.safe_load_all(made.stdout) if document]


def of_kind(documents: list[dict[str, Any]], kind: str) -> dict[str, dict[str, Any]]:
    return {document["metadata"]["name"]: document for document in documents if document["kind"] == kind}


def pods_of(documents: list[dict[str, Any]]) -> dict[str, dict[str, Any]]:
    made = of_kind(documents, "Deployment") | of_kind(documents, "Job")
    return {name: document["spec"]["template"]["spec"] for name, document in made.items()}


@pytest.fixture(params=SHAPES)
def documents(request: pytest.FixtureRequest) -> list[dict[str, Any]]:
    return render(*SHAPES[request.param])


@pytest.mark.parametrize("values", SHAPES.values(), ids=SHAPES)
def test_helm_finds_no_fault_in_the_chart(values: tuple[str, ...]) -> None:
    chosen = [part for value in values for part in ("--set", value)]
    linted = run_helm("lint", "--strict", CHART, *chosen)
    assert linted.returncode == 0, linted.stdout


def test_the_default_is_one_pod_with_a_volume_that_stays() -> None:
    documents = render()
    [deployment] = of_kind(documents, "Deployment").values()
    assert (deployment["spec"]["replicas"], deployment["spec"]["strategy"]["type"]) == (1, "Recreate")
    [claim] = of_kind(documents, "PersistentVolumeClaim").values()
    assert claim["metadata"]["annotations"]["helm.sh/resource-policy"] == "keep"
    assert not of_kind(documents, "Ingress")
    assert not of_kind(documents, "Job")


def test_the_scaled_shape_has_api_worker_and_render_pods_that_wait_for_one_migration() -> None:
    documents = render(*SCALED)
    assert set(of_kind(documents, "Deployment")) == {"kept-api", "kept-worker", "kept-render"}
    assert len(of_kind(documents, "Job")) == 1
    assert not of_kind(documents, "PersistentVolumeClaim")
    for deployment in of_kind(documents, "Deployment").values():
        [waiting] = deployment["spec"]["template"]["spec"]["initContainers"]
        assert "kept migrate --check" in waiting["command"][-1]
    [config] = of_kind(documents, "ConfigMap").values()
    assert config["data"]["KEPT_AUTO_MIGRATE"] == "false"


def test_a_job_of_other_values_has_another_name_because_a_job_cannot_be_changed() -> None:
    names = [set(of_kind(render(*SCALED, *more), "Job")) for more in ((), ("image.tag=9.9.9",))]
    assert names[0] != names[1]


@pytest.mark.parametrize("missing", ["scaled.existingSecret", "scaled.blobUrl"])
def test_the_scaled_shape_says_what_it_lacks(missing: str) -> None:
    chosen = [part for value in SCALED if not value.startswith(missing) for part in ("--set", value)]
    made = run_helm("template", "kept", CHART, *chosen)
    assert made.returncode != 0
    assert f"{missing} is required" in made.stderr


def test_no_pod_may_do_more_than_it_needs(documents: list[dict[str, Any]]) -> None:
    for name, pod in pods_of(documents).items():
        assert pod["securityContext"]["runAsNonRoot"] is True, name
        assert pod["securityContext"]["runAsUser"] == 10001, name
        assert pod["automountServiceAccountToken"] is False, name
        for container in [*pod["containers"], *pod.get("initContainers", ())]:
            allowed = container["securityContext"]
            assert allowed["allowPrivilegeEscalation"] is False, name
            assert allowed["readOnlyRootFilesystem"] is True, name
            assert allowed["capabilities"] == {"drop": ["ALL"]}, name
            assert {mount["mountPath"] for mount in container["volumeMounts"]} == {"/tmp", "/data"}, name


def test_kubernetes_adds_no_variable_that_would_be_taken_for_a_setting(documents: list[dict[str, Any]]) -> None:
    """A service named kept would set KEPT_PORT to tcp://…, in every pod that does not refuse it."""
    assert all(pod["enableServiceLinks"] is False for pod in pods_of(documents).values())


def test_only_pods_with_a_browser_leave_the_runtimes_own_profile(documents: list[dict[str, Any]]) -> None:
    for name, pod in pods_of(documents).items():
        has_browser = {container["image"].partition(":")[0] for container in pod["containers"]} & {
            "kept",
            "kept-render",
        }
        profile = pod["securityContext"]["seccompProfile"]["type"]
        assert profile == ("Unconfined" if has_browser else "RuntimeDefault"), name


def test_every_variable_is_a_setting(documents: list[dict[str, Any]]) -> None:
    [config] = of_kind(documents, "ConfigMap").values()
    assert config["data"].keys() <= set(VARIABLES.values())
    values = (CHART / "values.yaml").read_text()
    assert set(re.findall(r"\bKEPT_[A-Z0-9_]*[A-Z0-9]\b", values)) <= set(VARIABLES.values())


def test_the_settings_of_the_scaled_shape_make_sense() -> None:
    [config] = of_kind(render(*SHAPES["scaled"]), "ConfigMap").values()
    given: dict[str, Any] = {
        name.removeprefix("KEPT_").lower(): value for name, value in config["data"].items() if value
    }
    secret: dict[str, Any] = {
        "database_url": "postgresql://a:b@c/d",
        "broker_url": "redis://r",
        "s3_secret_access_key": "x",
    }
    made = Settings(**given, **secret)
    assert (made.executor, made.blob_url, made.save_rate) == ("celery", "s3://kept", "300/minute")
    assert str(made.public_url).rstrip("/") == "https://kept.example.org"


def test_commands_images_and_ports_are_those_that_exist(documents: list[dict[str, Any]]) -> None:
    stages = re.findall(r"^FROM \S+ AS (\S+)", (ROOT / "docker" / "Dockerfile").read_text(), re.MULTILINE)
    for pod in pods_of(documents).values():
        for container in pod["containers"]:
            name, _, tag = container["image"].partition(":")
            assert tag == __version__
            assert (name.removeprefix("kept-") if name != "kept" else "all") in stages
            check_command(container["command"])
            ports = [port["containerPort"] for port in container.get("ports", ())]
            assert ports in ([], [Settings.model_fields["port"].default])


def check_command(command: list[str]) -> None:
    if command[0] == "kept":
        assert command[1] in COMMANDS
        return
    assert command[:3] == ["celery", "-A", "kept.worker.celery_app"]
    assert set(command[command.index("-Q") + 1].split(",")) <= set(Queue)


def test_every_container_that_stays_is_probed_and_limited(documents: list[dict[str, Any]]) -> None:
    for name, deployment in of_kind(documents, "Deployment").items():
        [container] = deployment["spec"]["template"]["spec"]["containers"]
        assert "livenessProbe" in container, name
        assert ("readinessProbe" in container) == ("ports" in container), name
        assert container["resources"]["limits"]["memory"], name


def test_the_service_leads_to_the_pods_that_answer_and_the_ingress_to_the_service(
    documents: list[dict[str, Any]],
) -> None:
    services = of_kind(documents, "Service")
    wanted = services["kept"]["spec"]["selector"]
    deployments = of_kind(documents, "Deployment").values()
    labels = [deployment["spec"]["template"]["metadata"]["labels"] for deployment in deployments]
    assert sum(wanted.items() <= label.items() for label in labels) == 1
    [ingress] = of_kind(documents, "Ingress").values()
    [rule] = ingress["spec"]["rules"]
    backends = {path["path"]: path["backend"]["service"]["name"] for path in rule["http"]["paths"]}
    assert backends == {"/": "kept", "/metrics": "kept-nowhere"}
    assert "selector" not in services["kept-nowhere"]["spec"]


def test_the_charts_version_is_kepts() -> None:
    chart = yaml.safe_load((CHART / "Chart.yaml").read_text())
    assert (chart["version"], chart["appVersion"]) == (__version__, __version__)


def test_no_registry_and_no_secret_is_in_the_values() -> None:
    values = yaml.safe_load((CHART / "values.yaml").read_text())
    assert values["image"]["registry"] == ""
    assert not re.search(r"password\s*:", (CHART / "values.yaml").read_text(), re.IGNORECASE)


def read_unit(name: str) -> ConfigParser:
    unit = ConfigParser(strict=True, interpolation=None, delimiters=("=",))
    unit.optionxform = str  # type: ignore[assignment, method-assign]
    unit.read(ROOT / "deploy" / "quadlet" / name)
    return unit


def default_of(value: str) -> str:
    return re.sub(r"\$\{\w+:-([^}]*)\}", r"\1", value)


def test_the_quadlet_unit_agrees_with_the_image_and_compose() -> None:
    container = read_unit("kept.container")["Container"]
    compose = yaml.safe_load((ROOT / "compose.yaml").read_text())["services"]["kept"]
    assert container["Image"].endswith(f"/{default_of(compose['image'])}")
    assert [container["PublishPort"]] == [default_of(port) for port in compose["ports"]]
    assert f"{container['User']}:{container['Group']}" == default_of(compose["user"])
    assert container["Volume"] == "kept.volume:/data"
    assert (ROOT / "deploy" / "quadlet" / "kept.volume").is_file()
    for name in ("ReadOnly", "NoNewPrivileges", "RunInit"):
        assert container[name] == "true"
    assert container["DropCapability"] == "all"
    assert Path(container["SeccompProfile"]).name in {path.name for path in (ROOT / "docker").iterdir()}
    assert container["HealthCmd"].split()[-1] in json.dumps((ROOT / "docker" / "Dockerfile").read_text())


def test_podman_takes_the_quadlet_units() -> None:
    places = ("/usr/libexec/podman/quadlet", "/usr/lib/podman/quadlet")
    program = next((place for place in places if Path(place).is_file()), None)
    if program is None:
        pytest.skip("NOT RUN: there is no Podman with Quadlet on this machine (4.4 or newer)")
    checked = subprocess.run(
        [program, "-dryrun", "-user"],
        env={"QUADLET_UNIT_DIRS": str(ROOT / "deploy" / "quadlet"), "HOME": str(Path.home())},
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert checked.returncode == 0, checked.stderr
