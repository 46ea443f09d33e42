"""Prints which files of src/kept a save, an ingestion, a search and so on call, in the order of the first call.

`.venv/bin/python tools/walk.py`, with Kept and Node installed; `--write` puts the lists into docs/architecture.md. It
starts Kept on a temporary folder, with a profiler in each of its Python processes, and uses it once through. What is
made only once is made by a first save that is not counted.
"""

import json
import mmap
import re
import sys
import tempfile
import textwrap
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Final, NamedTuple

from smoke import DIRECT, ask, make_environment, run, serve_kept, serve_page, wait_for

ROOT: Final = Path(__file__).resolve().parent.parent
SOURCE: Final = ROOT / "src" / "kept"
PAGE: Final = ROOT / "docs" / "architecture.md"
BOOKMARKS: Final = """<!DOCTYPE NETSCAPE-Bookmark-file-1><DL><p>
<DT><A HREF="http://127.0.0.1:{port}/third" ADD_DATE="1700000000" TAGS="sea">The lighthouse log</A></DL>"""
# Python imports it at its start from PYTHONPATH, which child processes inherit too. A byte in a shared file tells which
# action is under way; a line in another one is written for the first call of a function in it.
PROFILER: Final = """
import mmap, os, sys, threading
with open({action!r}, "rb") as file:
    action = mmap.mmap(file.fileno(), 1, access=mmap.ACCESS_READ)
calls = os.open({calls!r}, os.O_WRONLY | os.O_APPEND)
who = "worker" if "--child-of" in sys.orig_argv else "server"
seen = set()
def profile(frame, event, _):
    code = frame.f_code
    if event != "call" or (action[0], code) in seen or not code.co_filename.startswith({source!r}):
        return
    has_begun = frame.f_lasti > 2 * (len(code.co_cellvars) + len(code.co_freevars) + 3)  # a coroutine that goes on
    is_importing = frame.f_back is not None and frame.f_back.f_code.co_name == "<module>"
    if has_begun or is_importing or code.co_name[0] == "<" or action[0] == 0:
        return
    seen.add((action[0], code))
    os.write(calls, f"{{action[0]}} {{os.getpid()}} {{os.getppid()}} {{who}} {{code.co_filename}}\\n".encode())
sys.setprofile(profile)
threading.setprofile(profile)
"""
ACTIONS: Final = ("save", "search", "import")


@dataclass(frozen=True)
class Walk:
    name: str
    action: str
    processes: tuple[str, ...]
    """Whose calls are listed, with those of the child processes."""
    before: str = ""
    """The file whose first call belongs to the job that comes next."""


WALKS: Final = (
    Walk("save", "save", ("server",)),
    Walk("ingestion", "save", ("worker",), before="services/images/store.py"),
    Walk("search", "search", ("server",)),
    Walk("import", "import", ("server", "worker"), before="services/ingesting/ingest.py"),
)


class Call(NamedTuple):
    action: str
    process: str
    is_child: bool
    file: str


class Tracer:
    """The files that the profilers read and write."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        action, self.calls = folder / "action", folder / "calls"
        action.write_bytes(b"\0")
        self.calls.touch()
        with action.open("r+b") as file:
            self._action = mmap.mmap(file.fileno(), 1)
        source = PROFILER.format(action=str(action), calls=str(self.calls), source=f"{SOURCE}/")
        (folder / "sitecustomize.py").write_text(source)

    @contextmanager
    def during(self, action: str) -> Iterator[None]:
        self._action[0] = 1 + ACTIONS.index(action)
        yield
        self._action[0] = 0

    def list_calls(self) -> Iterator[Call]:
        rows = [line.split(" ", 4) for line in self.calls.read_text().splitlines()]
        workers = {pid for _, pid, _, who, _ in rows if who == "worker"}
        pids = {pid for _, pid, _, _, _ in rows}
        for action, pid, parent, _, file in rows:
            process = "worker" if {pid, parent} & workers else "server"
            is_child = parent in pids and pid not in workers
            yield Call(ACTIONS[int(action) - 1], process, is_child, file.removeprefix(f"{SOURCE}/"))


def trace(tracer: Tracer, kept: str) -> None:
    """Use a Kept once through."""
    with serve_page() as port:
        environment = make_environment(tracer.folder, port) | {"KEPT_RENDER": "never"}
        run(kept, environment, "user", "add", "ann", "--password-stdin", stdin="a long enough password\n")
        token = run(kept, environment, "token", "create", "--user", "ann", "--scopes", "read,write")

        def save(path: str) -> None:
            ask(f"{url}/api/v1/items", token, {"url": f"http://127.0.0.1:{port}/{path}", "tags": ["sea"]})
            wait_for("the worker", has_no_jobs)

        def has_no_jobs() -> bool:
            """Asked by the command line: the server would answer with calls of its own."""
            return not any(queue["kinds"] for queue in json.loads(run(kept, environment, "queue", "--json"))["queues"])

        with serve_kept(kept, environment | {"PYTHONPATH": str(tracer.folder)}, tracer.folder) as url:
            save("first")
            with tracer.during("save"):
                save("second")
            with tracer.during("search"):
                ask(f"{url}/api/v1/search?q=lighthouse+tag:sea", token)
            with tracer.during("import"):
                upload(f"{url}/api/v1/imports?file_name=bookmarks.html", token, BOOKMARKS.format(port=port))
                wait_for("the worker", has_no_jobs)


def upload(url: str, token: str, text: str) -> None:
    headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/octet-stream"}
    DIRECT.open(urllib.request.Request(url, text.encode(), headers), timeout=30).close()  # noqa: S310


def list_files(calls: list[Call], walk: Walk) -> dict[str, list[str]]:
    """The files of a walk by process, each once, where it is first called."""
    found, seen = dict[str, list[str]](), set[str]()
    for call in calls:
        if call.action != walk.action or call.process not in walk.processes:
            continue
        if call.file == walk.before:
            break
        if call.file not in seen:
            seen.add(call.file)
            where = f"child processes of the {call.process}" if call.is_child else f"the {call.process}"
            found.setdefault(where, []).append(call.file)
    return found


def describe(files: dict[str, list[str]]) -> str:
    every = [file for group in files.values() for file in group]
    services = sum(file.startswith("services/") for file in every)
    lines = ["```text", f"{len(every)} files, {services} of them services"]
    for where, group in files.items():
        lines += [
            f"in {where}:",
            textwrap.fill("  ".join(abbreviate(group)), 118, initial_indent="  ", subsequent_indent="  "),
        ]
    return "\n".join([*lines, "```"])


def abbreviate(files: list[str]) -> Iterator[str]:
    """Files of one folder that follow each other, as the shell writes them: urls/{url,host}.py."""
    for folder, group in groupby(files, key=lambda file: file.rpartition("/")[0]):
        stems = [Path(file).stem for file in group]
        comma = "," if len(",".join(stems)) < 50 else ", "  # a long list may be wrapped
        names = f"{{{comma.join(stems)}}}.py" if len(stems) > 1 else f"{stems[0]}.py"
        yield f"{folder}/{names}" if folder else "  ".join(f"{stem}.py" for stem in stems)


def put(page: str, name: str, text: str) -> str:
    place = re.compile(rf"(<!-- walk: {name} -->\n).*?(<!-- end of walk -->)", re.DOTALL)
    assert place.search(page), f"the page has no place for {name}"
    return place.sub(lambda found: f"{found[1]}{text}\n{found[2]}", page, count=1)


def main() -> None:
    with tempfile.TemporaryDirectory(prefix="kept-walk-") as name:
        tracer = Tracer(Path(name))
        trace(tracer, str(Path(sys.executable).with_name("kept")))
        calls = list(tracer.list_calls())
    texts = {walk.name: describe(list_files(calls, walk)) for walk in WALKS}
    for walk, text in texts.items():
        print(f"\n{walk}: {text}")
    if "--write" in sys.argv[1:]:
        page = PAGE.read_text(encoding="utf-8")
        for walk, text in texts.items():
            page = put(page, walk, text)
        PAGE.write_text(page, encoding="utf-8")


if __name__ == "__main__":
    main()
