"""What is printed without rich is what rich prints."""

import pytest

from kept.cli.console import Cell, Row, Styled, make_console, print_line, print_rich_table, print_table

TITLES = ("title", "", "state")


@pytest.fixture(autouse=True)
def pipe(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("FORCE_COLOR", "TTY_COMPATIBLE"):
        monkeypatch.delenv(name, raising=False)


@pytest.mark.parametrize(
    "rows",
    [
        [],
        [("An article", "", Styled("ready", "green"))],
        [("", "x", ""), ("[red]no markup[/] :smile:", "", Styled("failed", "red"))],
        [("港の朝 — a harbour", "é", "ready"), ("e\u0301te\u0301", "👩‍🚀", "ready")],
        [("long " * 300, "", "ready")],
    ],
)
def test_a_table_in_a_pipe_is_that_of_rich(rows: list[Row], capsys: pytest.CaptureFixture[str]) -> None:
    print_rich_table(TITLES, rows, None)
    by_rich = capsys.readouterr().out
    print_table(TITLES, rows)
    assert capsys.readouterr().out == by_rich


@pytest.mark.parametrize(
    "pieces",
    [("",), ("  2026-11-17 · https://example.org/[a]",), ("the ", Styled("harbour", "bold yellow"), " at dawn ")],
)
def test_a_line_in_a_pipe_is_that_of_rich(pieces: tuple[Cell, ...], capsys: pytest.CaptureFixture[str]) -> None:
    from rich.text import Text

    make_console().print(Text.assemble(*pieces))
    by_rich = capsys.readouterr().out
    print_line(*pieces)
    assert capsys.readouterr().out == by_rich


def test_characters_that_steer_a_terminal_are_left_to_rich(capsys: pytest.CaptureFixture[str]) -> None:
    print_line("two\nlines, and a bell\x07")
    print_table(("title",), [("two\nlines",)])
    assert capsys.readouterr().out == "two\nlines, and a bell\n title \n two   \n lines \n"


def test_colours_are_printed_where_somebody_forces_them(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.delenv("NO_COLOR", raising=False)
    print_line(Styled("ready", "green"))
    assert "\x1b[32mready" in capsys.readouterr().out
