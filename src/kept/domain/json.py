"""JSON values as types: what `json.loads` gives, told apart with `isinstance` before use."""

JsonValue = None | bool | int | float | str | list["JsonValue"] | dict[str, "JsonValue"]
JsonObject = dict[str, JsonValue]
