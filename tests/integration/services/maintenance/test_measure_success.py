"""`kept stats`: the promises of specification 000 as figures, counted from what really happened."""

from datetime import timedelta

import pytest

from kept.services.maintenance.figures import measure_success
from kept.storage import figures
from support.servers.origin import Origin, article
from support.servers.serving import RunningKept

pytestmark = pytest.mark.requirement("000", "SC-001 to SC-008 as live figures (`kept stats`)")


@pytest.mark.parametrize("batch", [1, 5000])
async def test_figures_tell_what_saves_answered(
    saving: RunningKept, origin: Origin, monkeypatch: pytest.MonkeyPatch, batch: int
) -> None:
    monkeypatch.setattr(figures, "BATCH", batch)
    ann, bob = await saving.make_person("ann"), await saving.make_person("bob")
    whole, plain = origin.page("/whole", article("T", "E", "/i.jpg")), origin.page("/plain", article("T", "E", None))
    for person, url in ((ann, whole), (bob, whole), (ann, plain), (ann, "http://10.0.0.1/")):
        assert (await person.post("/api/v1/items", {"url": url})).status == 201

    found = await measure_success(saving.kept.database, saving.kept.now() - timedelta(days=1))

    shares = {figure.code: figure.share for figure in found.figures}
    assert shares["SC-001"] == shares["SC-003"] == 1
    assert shares["SC-002"] == shares["SC-007"] == 1 / 2
    assert shares["SC-004"] == 0
    assert shares["SC-005"] == 1 / 3
    assert (found.pages, found.shared_pages, found.double_pages) == (3, 1, 0)


async def test_pages_saved_earlier_do_not_count(saving: RunningKept, origin: Origin) -> None:
    ann = await saving.make_person("ann")
    await ann.post("/api/v1/items", {"url": origin.page("/a", article())})
    found = await measure_success(saving.kept.database, saving.kept.now() + timedelta(minutes=1))
    assert {figure.share for figure in found.figures} == {None}
