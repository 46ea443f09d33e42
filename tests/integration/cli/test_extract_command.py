"""`kept extract` as people's scripts see it."""

import json
from pathlib import Path

import pytest
from pytest_httpserver import HTTPServer

from support.fixtures.extraction import ARTICLE_HTML, require_node
from support.servers import commands
from support.servers.commands import Outcome

pytestmark = pytest.mark.requirement("Kept", "site rules")

PAGE = ARTICLE_HTML.replace("<article>", '<article><nav>Home</nav><p><a href="/b">b</a></p>')


def kept(*arguments: str, folder: Path, stdin: bytes = b"", **variables: str) -> Outcome:
    return commands.kept("extract", *arguments, folder=folder, stdin=stdin, **variables)


@pytest.fixture(autouse=True)
def _node() -> None:
    require_node()


@pytest.fixture
def saved(tmp_path: Path) -> str:
    path = tmp_path / "page.html"
    path.write_text(PAGE)
    return str(path)


def test_a_file_is_printed_as_text(saved: str, tmp_path: Path) -> None:
    done = kept("--text", saved, folder=tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("The council met") == 5
    assert "Home" not in done.stdout
    assert "<p>" not in done.stdout


def test_a_file_is_printed_as_sanitised_html_with_links_to_where_it_came_from(saved: str, tmp_path: Path) -> None:
    page = (
        Path(saved).read_text().replace("</article>", '<p>They built <a href="/b">another</a> elsewhere.</p></article>')
    )
    Path(saved).write_text(page)
    done = kept("--html", "--url", "https://news.example/a", saved, folder=tmp_path)
    assert 'href="https://news.example/b" target="_blank" rel="noopener noreferrer"' in done.stdout


def test_standard_input_is_printed_as_json(tmp_path: Path) -> None:
    done = kept("--json", "-", folder=tmp_path, stdin=PAGE.encode())
    article = json.loads(done.stdout)
    assert (article["title"], article["word_count"]) == ("The bridge", 170)


def test_without_a_choice_title_and_text_are_printed(saved: str, tmp_path: Path) -> None:
    done = kept(saved, folder=tmp_path)
    assert done.stdout.startswith("The bridge\n")
    assert "The council met" in done.stdout


def test_an_address_is_fetched_through_the_gate(httpserver: HTTPServer, tmp_path: Path) -> None:
    httpserver.expect_request("/a").respond_with_data(PAGE, content_type="text/html; charset=utf-8")
    allowed = f"127.0.0.1/32:{httpserver.port}"
    done = kept("--text", f"http://127.0.0.1:{httpserver.port}/a", folder=tmp_path, KEPT_FETCH_ALLOW=allowed)
    assert done.returncode == 0, done.stderr
    assert "The council met" in done.stdout


def test_an_address_the_gate_refuses_is_one_clear_line(httpserver: HTTPServer, tmp_path: Path) -> None:
    done = kept(f"http://127.0.0.1:{httpserver.port}/a", folder=tmp_path)
    assert done.returncode == 1
    assert done.stderr.startswith("kept: E_FETCH_FORBIDDEN: ")
    assert httpserver.log == []


def test_a_page_without_an_article_is_one_clear_line(tmp_path: Path) -> None:
    done = kept("-", folder=tmp_path, stdin=b"<p>Hello")
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith("kept: E_EXTRACT_NO_CONTENT: ")
    assert len(done.stderr.splitlines()) == 1


def test_a_source_that_is_neither_a_file_nor_a_url_is_refused(tmp_path: Path) -> None:
    done = kept("no such/file.html", folder=tmp_path)
    assert done.returncode == 1
    assert done.stderr == "kept: no such/file.html: no such file, and not a web URL.\n"


def test_two_forms_at_once_are_refused(saved: str, tmp_path: Path) -> None:
    assert kept("--html", "--json", saved, folder=tmp_path).returncode == 2


# --- site rules ------------------------------------------------------------------------------------------------------

RULE = 'hosts = ["news.example", "127.0.0.1"]\ntake = ["article p"]\ntitle = "h2"\nnext_page = "a.on"\n'
RULED = PAGE.replace("<article>", "<h2>As the rule says</h2><article>")


def test_a_rule_is_tried_on_a_file_and_says_that_it_was_applied(tmp_path: Path) -> None:
    rule = tmp_path / "news.toml"
    rule.write_text(RULE)
    arguments = ("--rules", str(rule), "--url", "https://news.example/a", "-")
    done = kept(*arguments, folder=tmp_path, stdin=RULED.encode())
    assert done.stdout.startswith("As the rule says\n")
    assert done.stderr == "news.toml: applied\n"
    missed = kept(*arguments, folder=tmp_path, stdin=RULED.replace("article", "main").encode())
    assert (missed.returncode, missed.stderr) == (0, "news.toml: take matched nothing on this page\n")


def test_rules_of_the_data_folder_and_their_next_page_are_used_for_a_url(
    httpserver: HTTPServer, tmp_path: Path
) -> None:
    (tmp_path / "site-rules").mkdir()
    (tmp_path / "site-rules" / "news.toml").write_text(RULE)
    second = ARTICLE_HTML.replace("council", "parish")
    httpserver.expect_request("/a").respond_with_data(RULED + '<a class=on href="/b">on</a>', content_type="text/html")
    httpserver.expect_request("/b").respond_with_data(second, content_type="text/html")
    url, allowed = f"http://127.0.0.1:{httpserver.port}/a", f"127.0.0.1/32:{httpserver.port}"
    done = kept("--text", url, folder=tmp_path, KEPT_FETCH_ALLOW=allowed, KEPT_HOST_GAP_SECONDS="0")
    assert (done.stdout.count("The council met"), done.stdout.count("The parish met")) == (5, 5)
    assert done.stderr == "news.toml: applied\npages: 2\n"


def test_a_rule_with_faults_is_a_line_for_each_and_nothing_is_read(tmp_path: Path) -> None:
    (tmp_path / "bad.toml").write_text('hosts = ["news.example"]\ntake = ["p{"]\ntakes = 1')
    done = kept("--rules", str(tmp_path), "https://news.example/a", folder=tmp_path)
    assert done.returncode == 2
    faults = ["bad.toml: take, entry 1: is not a CSS selector", "bad.toml: takes: there is no such field"]
    assert done.stderr.splitlines() == [f"kept: {fault}" for fault in faults]
    nowhere = kept("--rules", str(tmp_path / "none"), "https://news.example/a", folder=tmp_path)
    assert (nowhere.returncode, "there is no such file or folder" in nowhere.stderr) == (2, True)
