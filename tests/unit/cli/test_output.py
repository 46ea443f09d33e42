"""What commands print, on a terminal and in a pipe."""

import pytest

from kept.cli.output import Row, Styled, print_line, print_table

TITLES = ("title", "", "state")


@pytest.fixture(autouse=True)
def pipe(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("FORCE_COLOR", "TTY_COMPATIBLE"):
        monkeypatch.delenv(name, raising=False)


@pytest.mark.parametrize(
    ("rows", "lines"),
    [
        ([], [" title    state "]),
        ([("An article", "", Styled("ready", "green"))], [" title         state ", " An article    ready "]),
        (
            [("[red]no markup[/] :smile:", "", "")],
            [" title                        state ", " [red]no markup[/] :smile:          "],
        ),
        ([("港の朝", "é", "ready")], [" title      state ", " 港の朝  é  ready "]),
    ],
)
def test_a_table_in_a_pipe_has_columns_and_no_colours(
    rows: list[Row], lines: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    print_table(TITLES, rows)
    assert capsys.readouterr().out.splitlines() == lines


def test_nothing_is_cut_or_wrapped_in_a_pipe(capsys: pytest.CaptureFixture[str]) -> None:
    print_table(TITLES, [("long " * 300, "", "ready")])
    print_line("word " * 300, Styled("harbour", "bold yellow"))
    table, line = capsys.readouterr().out.splitlines()[1:]
    assert table.split() == [*["long"] * 300, "ready"]
    assert line == "word " * 300 + "harbour"


def test_characters_that_steer_a_terminal_are_left_out(capsys: pytest.CaptureFixture[str]) -> None:
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
