"""tools/walk.py: what becomes of the calls that the profilers wrote down."""

from pathlib import Path

from support.fixtures.tools import load_tool

load_tool("smoke")
WALKS = load_tool("walk")
SAVE, SEARCH = 1, 2


def trace(folder: Path, *calls: tuple[int, int, int, str, str]) -> list[object]:
    tracer = WALKS.Tracer(folder)
    tracer.calls.write_text(
        "".join(f"{action} {pid} {parent} {who} {WALKS.SOURCE}/{file}\n" for action, pid, parent, who, file in calls)
    )
    return list(tracer.list_calls())


def test_a_file_is_listed_once_where_it_is_called_first(tmp_path: Path) -> None:
    calls = trace(
        tmp_path,
        (SAVE, 10, 1, "server", "asgi.py"),
        (SAVE, 10, 1, "server", "urls/url.py"),
        (SAVE, 30, 10, "server", "content/page/card.py"),
        (SAVE, 30, 10, "server", "urls/url.py"),
        (SAVE, 20, 10, "worker", "jobs/local.py"),
        (SEARCH, 10, 1, "server", "ids.py"),
    )
    assert WALKS.list_files(calls, WALKS.WALKS[0]) == {
        "the server": ["asgi.py", "urls/url.py"],
        "child processes of the server": ["content/page/card.py"],
    }


def test_a_walk_ends_where_the_next_work_begins(tmp_path: Path) -> None:
    calls = trace(
        tmp_path,
        (SAVE, 20, 10, "worker", "jobs/local.py"),
        (SAVE, 21, 20, "server", "subprocesses/workers.py"),
        (SAVE, 20, 10, "worker", "services/images/store.py"),
        (SAVE, 20, 10, "worker", "ids.py"),
    )
    assert WALKS.list_files(calls, WALKS.WALKS[1]) == {
        "the worker": ["jobs/local.py"],
        "child processes of the worker": ["subprocesses/workers.py"],
    }


def test_files_of_a_folder_that_follow_each_other_share_its_name() -> None:
    files = ["urls/url.py", "urls/host.py", "clock.py", "urls/url.py"]
    assert list(WALKS.abbreviate(files)) == ["urls/{url,host}.py", "clock.py", "urls/url.py"]


def test_a_list_is_put_between_its_marks() -> None:
    page = "a\n<!-- walk: save -->\nold\n<!-- end of walk -->\n<!-- walk: search -->\n<!-- end of walk -->\n"
    assert WALKS.put(page, "save", "new") == page.replace("old", "new")
