import pytest

from kept.domain.account import Scope, parse_password, parse_scopes, parse_user_name
from kept.domain.errors import InvalidRequest


def test_names_that_look_alike_are_the_same_name() -> None:
    assert parse_user_name("  Ann ") == parse_user_name("ＡＮＮ") == "ann"


@pytest.mark.parametrize("name", ["", " ", "a b", "-dash", "a" * 65, "new\nline", "<script>"])
def test_odd_names_are_refused(name: str) -> None:
    with pytest.raises(InvalidRequest):
        parse_user_name(name)


def test_a_wider_scope_includes_the_narrower_ones() -> None:
    assert parse_scopes(["write"]) == {Scope.READ, Scope.WRITE}
    assert parse_scopes(["read", " admin"]) == {Scope.READ, Scope.WRITE, Scope.ADMIN}
    assert parse_scopes(["save"]) == {Scope.SAVE}
    with pytest.raises(InvalidRequest, match="read, save, write, admin"):
        parse_scopes(["root"])


@pytest.mark.parametrize("password", ["short", "x" * 1025])
def test_passwords_have_bounds(password: str) -> None:
    with pytest.raises(InvalidRequest):
        parse_password(password)
