"""Read events out of a journal's lines: what is not of its field's type is damage."""

import dataclasses
import math
from collections.abc import Mapping
from enum import Enum
from typing import Any, get_args, get_origin, get_type_hints

from pydantic_core import CoreSchema, SchemaValidator
from pydantic_core.core_schema import (
    bool_schema,
    dataclass_args_schema,
    dataclass_field,
    dataclass_schema,
    dict_schema,
    enum_schema,
    float_schema,
    int_schema,
    no_info_after_validator_function,
    none_schema,
    str_schema,
    tagged_union_schema,
    tuple_schema,
    union_schema,
    with_default_schema,
)

from engine.files import MAX_INT


class EventReader:
    """Make events of lines.

    Args:
        kinds: Frozen dataclasses, of whatever JSON has a place for.
    """

    def __init__(self, kinds: tuple[type, ...]) -> None:
        choices = {kind.__name__: _schema(kind, extra="ignore") for kind in kinds}
        self._validator = SchemaValidator(tagged_union_schema(choices, "event"))

    def read(self, line: bytes) -> Any:
        """Return a line's event.

        Raises:
            ValueError: It is damaged.
        """
        return self._validator.validate_json(line)


def _schema(hint: Any, extra: Any = "forbid") -> CoreSchema:
    """Return how the values of a type are written as JSON."""
    if hint in _PLAIN:
        return _PLAIN[hint]
    origin, arguments = get_origin(hint), get_args(hint)
    if origin is tuple and arguments[1] is Ellipsis:
        return tuple_schema([_schema(arguments[0])], variadic_item_index=0)
    if origin is tuple:
        return tuple_schema([_schema(argument) for argument in arguments])
    if origin is Mapping:
        return dict_schema(*map(_schema, arguments))
    if issubclass(hint, Enum):
        return enum_schema(hint, list(hint), sub_type="str")
    hints = get_type_hints(hint)
    fields = [
        dataclass_field(field.name, _with_default(field, _schema(hints[field.name])), kw_only=True)
        for field in dataclasses.fields(hint)
    ]
    arguments_schema = dataclass_args_schema(hint.__name__, fields, extra_behavior=extra)
    names = [field.name for field in dataclasses.fields(hint)]
    return dataclass_schema(hint, arguments_schema, names, slots=True, frozen=True)


def _with_default(field: "dataclasses.Field[Any]", schema: CoreSchema) -> CoreSchema:
    if field.default is not dataclasses.MISSING:
        return with_default_schema(schema, default=field.default)
    if field.default_factory is not dataclasses.MISSING:
        return with_default_schema(schema, default_factory=field.default_factory)
    return schema


_PLAIN: Mapping[Any, CoreSchema] = {
    bool: bool_schema(strict=True),
    int: int_schema(strict=True, ge=-MAX_INT, lt=MAX_INT),
    # Null stands for a number that was not finite.
    float: union_schema(
        [
            float_schema(strict=True, allow_inf_nan=False),
            no_info_after_validator_function(lambda _: math.nan, none_schema()),
        ],
        mode="left_to_right",
    ),
    str: str_schema(strict=True),
}
