"""The page that owners of sites are led to by the User-Agent."""

from pathlib import Path

import pytest

from kept.config import Settings
from kept.fetch.client import user_agent
from support.servers.serving import RunningKept, run_kept

pytestmark = [
    pytest.mark.requirement("003", "§6.2 User-Agent with a contact URL"),
    pytest.mark.requirement("differs", "003 §6.1: `user_agent_contact_url` is required → `/bot` stands in"),
]


async def test_anybody_can_read_it_and_no_search_engine_lists_it(running: RunningKept) -> None:
    answer = await running.nobody.get("/bot", Accept="text/html")
    page = answer.body.decode()
    assert answer.status == 200
    assert answer.headers["X-Robots-Tag"] == "noindex, nofollow"
    assert '<meta name="robots" content="noindex, nofollow">' in page
    assert f"<code>{user_agent(running.kept.settings)}</code>" in page
    assert "status 403" in page
    assert "has not named a contact" in page


async def test_it_names_the_contact_that_is_set(sqlite_url: str, tmp_path: Path) -> None:
    contact = "mailto:ann@example.org"
    settings = Settings(database_url=sqlite_url, data_dir=tmp_path, user_agent_contact_url=contact)
    async with run_kept(settings) as running:
        page = (await running.nobody.get("/bot")).body.decode()
    assert f'<a href="{contact}" rel="nofollow">ann@example.org</a>' in page
