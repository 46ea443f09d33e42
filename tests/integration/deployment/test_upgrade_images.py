"""From an older version to this one in containers, with data: nothing is lost, and everything is found."""

from pathlib import Path

import pytest

from support.containers import Store, needs_containers, show_logs
from support.old_version import unpack_old_version
from support.origin import Origin
from support.servers import accepts_connections, free_port
from support.waiting import until

pytestmark = [pytest.mark.long, needs_containers]

PARAGRAPH = "<p>" + "Nobody who walked along the harbour that morning thought of the storm to come. " * 4 + "</p>"
PAGE = f"<!doctype html><title>The harbour</title><article><h1>The harbour</h1>{PARAGRAPH * 8}</article>"
# The old sources with the dependencies of their own lock. They had no Dockerfile yet that builds on every machine; the
# bundler asked for a newer Node than Debian has.
DOCKERFILE = r"""
ARG PYTHON
ARG NODE
FROM ${NODE} AS bundle
COPY js /build/js
WORKDIR /build/js
RUN npm ci --no-audit --no-fund --ignore-scripts
RUN sed -i 's|${import.meta.dirname}/|${process.cwd()}/|' bundle.mjs \
 && mkdir -p ../src/kept/children ../src/kept/subprocesses && node bundle.mjs

FROM ${PYTHON}
WORKDIR /old
COPY requirements.lock pyproject.toml ./
RUN pip install --quiet "$(sed -n 's/^# uv: //p' requirements.lock)" && uv venv --quiet /opt/kept \
 && VIRTUAL_ENV=/opt/kept uv pip install --quiet --require-hashes --constraint requirements.lock -r pyproject.toml \
      --extra node --extra postgres
COPY src src
COPY --from=bundle /build/src src
RUN printf '#!/bin/sh\nexec /opt/kept/bin/python -c "from kept.cli.main import main; main()" "$@"\n' \
      > /usr/local/bin/kept && chmod 0755 /usr/local/bin/kept && install -d -o 10001 -g 10001 -m 0700 /data
ENV PYTHONPATH=/old/src KEPT_DATA_DIR=/data KEPT_RENDER=never
USER 10001:10001
CMD ["kept", "serve"]
"""


@pytest.fixture(scope="module")
def old_image(store: Store, tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = unpack_old_version(tmp_path_factory.mktemp("old"))
    (folder / "Dockerfile").write_text(DOCKERFILE)
    store.build_from(folder, folder / "Dockerfile", "localhost/kept-old:test")
    return "localhost/kept-old:test"


async def test_pages_of_an_older_version_are_there_and_found_after_the_upgrade(
    store: Store, origin: Origin, old_image: str, tmp_path: Path
) -> None:
    port, volume = free_port(), f"{tmp_path.name}-upgraded"
    reaching = {"KEPT_FETCH_ALLOW": origin.allowance, "KEPT_FETCH_PORTS": f"80,{origin.port}"}
    variables = {"KEPT_PORT": str(port), "KEPT_HOST": "127.0.0.1", **reaching}
    old = store.start(old_image, volume, **variables)
    with show_logs(store, [old]):
        await until(lambda: accepts_connections(port), seconds=120)
        person = store.add_person(old, f"http://127.0.0.1:{port}")
        saved = await person.save(origin.page("/harbour", PAGE), note="a lantern", tags=["seaside"])
        item = f"/api/v1/items/{saved['id']}"

        async def has_status(wanted: str) -> bool:
            return bool((await person.get(item)).data["processing_status"] == wanted)

        await until(lambda: has_status("ready_for_reading"), seconds=120)
        before = (await person.get(f"/api/v1/media/{saved['media_id']}/fragments")).data
    store.podman("rm", "--force", "--time", "30", old)

    new = store.start(store.build("all"), volume, **variables)
    with show_logs(store, [new]):
        await until(lambda: accepts_connections(port), seconds=120)
        found = (await person.get(item)).data
        assert (found["title"], found["note"], found["tags"]) == ("The harbour", "a lantern", ["seaside"])
        after = (await person.get(f"/api/v1/media/{saved['media_id']}/fragments")).data
        assert after["fragments"][0]["html_sanitized"] == before["fragments"][0]["html_sanitized"]

        async def is_found() -> bool:
            return saved["id"] in (await person.get("/api/v1/search?q=lantern+storm")).body.decode()

        await until(is_found, seconds=60, what="the index")
        again = await person.save(origin.page("/harbour", PAGE))
        assert again["id"] == saved["id"]
