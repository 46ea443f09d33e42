from kept.domain.preferences import DEFAULTS, Font, Preferences, Spacing, Theme, parse_preferences


def test_what_is_stored_and_read_back_is_the_same() -> None:
    chosen = Preferences(theme=Theme.SEPIA, font=Font.SYSTEM, spacing=Spacing.LOOSE)
    assert parse_preferences(chosen.as_json()) == chosen


def test_a_value_nobody_knows_any_more_falls_back() -> None:
    assert parse_preferences({"theme": "plaid", "size": None, "unknown": 1}) == DEFAULTS
