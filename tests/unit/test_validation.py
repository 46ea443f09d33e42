"""Every kind of fault pydantic can find has words of ours."""

from collections import defaultdict
from typing import get_args

import pytest
from pydantic_core.core_schema import ErrorType

from kept.validation import OTHERWISE, explain_fault

pytestmark = pytest.mark.requirement("Kept", "errors of requests in plain English")

# What pydantic says of inputs, and nobody else would.
JARGON = ("input", "dictionary", "parse", "instance", "valid string", "integer", "boolean", "decode", "model")


@pytest.mark.parametrize("kind", get_args(ErrorType))
def test_no_text_is_a_librarys(kind: str) -> None:
    said = explain_fault({"type": kind, "msg": "Value error, must be ours", "ctx": defaultdict(lambda: 5, used=1)})
    assert said
    assert "{" not in said
    assert not [word for word in JARGON if word in said.lower()]


def test_limits_are_named() -> None:
    assert explain_fault({"type": "less_than_equal", "ctx": {"le": 100}}) == "must be 100 or less"
    assert explain_fault({"type": "string_too_short", "ctx": {"min_length": 1}}) == "must not be empty"
    assert explain_fault({"type": "enum", "ctx": {"expected": "'a' or 'b'"}}) == "must be 'a' or 'b'"


def test_a_kind_that_is_not_known_yet_is_still_a_sentence() -> None:
    assert explain_fault({"type": "something_new", "msg": "Input should be new"}) == OTHERWISE
