import pytest

from kept.storage.database.sqlite import SqliteTooOld, require_recent_sqlite


def test_an_old_sqlite_is_refused_in_one_line_that_says_what_to_do() -> None:
    with pytest.raises(SqliteTooOld) as caught:
        require_recent_sqlite("3.40.1")
    assert str(caught.value).startswith("SQLite 3.40.1 is too old, Kept needs 3.43: pip install sqlean.py")


@pytest.mark.parametrize("version", ["3.43.0", "3.53.4", "4.0"])
def test_a_recent_sqlite_is_taken(version: str) -> None:
    require_recent_sqlite(version)
