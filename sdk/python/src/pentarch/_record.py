"""What the API answers: dictionaries whose fields are attributes too."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Dict, Mapping, Sequence, TypeVar, Union, cast

# A class, a list of what the shape says, a map of it by any key ("*"), or the first of several that fits.
Shape = Union["type[Record]", "list[Shape]", "dict[str, Shape]", "tuple[Shape, ...]"]


class Record(Dict[str, Any]):
    """One record of an answer: ``answer.title`` and ``answer["title"]`` are the same. What a newer server adds is kept.

    An attribute that the answer may leave out reads as None. A field that is named as a method of dictionaries
    (``items``, ``keys``) has ``_`` behind its attribute.
    """

    __slots__ = ()

    def __init__(self, *args: Any, **fields: Any) -> None:
        super().__init__(*args, **fields)
        for name, shape in _SHAPES.get(type(self), {}).items():
            if name in self:
                self[name] = shaped(shape, self[name])

    def to_dict(self) -> dict[str, Any]:
        """As plain dictionaries and lists, all the way down."""
        return cast("dict[str, Any]", _plain(self))

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(f'{name}={value!r}' for name, value in self.items())})"

    def __dir__(self) -> list[str]:
        names = {*super().__dir__(), *_declared(type(self)), *map(_attribute, self)}
        return sorted(name for name in names if name.isidentifier())

    # Hidden from type checkers, which would else take any name for one that is there.
    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            key = _key(name)
            if key in self:
                return self[key]
            if key in _optional(type(self)):
                return None
            raise AttributeError(f"{type(self).__name__} has no {name}")

        def __setattr__(self, name: str, value: Any) -> None:
            self[_key(name)] = value

        def __delattr__(self, name: str) -> None:
            try:
                del self[_key(name)]
            except KeyError:
                raise AttributeError(f"{type(self).__name__} has no {name}") from None


M = TypeVar("M", bound=Record)

_SHAPES: dict[type[Record], Mapping[str, Shape]] = {}
_OPTIONAL: dict[type[Record], frozenset[str]] = {}


def bind(model: type[Record], shapes: Mapping[str, Any], optional: Sequence[str]) -> None:
    """Tells how the fields of a class turn into models, and which of them may be absent."""
    _SHAPES[model] = shapes
    _OPTIONAL[model] = frozenset(optional)


def _key(name: str) -> str:
    """``items_`` is the field ``items``; ``from_`` is ``from``."""
    return name[:-1] if name.endswith("_") and not name.endswith("__") else name


def _attribute(key: str) -> str:
    return f"{key}_" if hasattr(Record, key) else key


def _declared(model: type[Record]) -> list[str]:
    return [name for kind in model.__mro__ if issubclass(kind, Record) for name in kind.__dict__.get("__annotations__", {})]


def _optional(model: type[Record]) -> set[str]:
    return {name for kind in model.__mro__ for name in _OPTIONAL.get(kind, ())}


def _fits(model: type[Record], value: Mapping[str, Any]) -> bool:
    optional = _optional(model)
    return all(name in value or name in optional for name in map(_key, _declared(model)))


def _is(value: object, *kinds: type) -> bool:
    """Without narrowing, which would leave what is inside unknown to type checkers."""
    return isinstance(value, kinds)


def _plain(value: Any) -> Any:
    if _is(value, dict):
        return {name: _plain(inner) for name, inner in value.items()}
    if _is(value, list):
        return [_plain(inner) for inner in value]
    return value


def shaped(shape: Any, value: Any) -> Any:
    """The value as its models; what does not fit stays as it came."""
    if _is(shape, type):
        return shape(value) if _is(value, dict) and not _is(value, shape) else value
    if _is(shape, list) and _is(value, list):
        return [shaped(shape[0], one) for one in value]
    if _is(shape, dict) and _is(value, dict):
        return {name: shaped(shape["*"], one) for name, one in value.items()}
    if _is(shape, tuple):
        for one in shape:
            if _is(one, type) and _is(value, dict):
                if _fits(one, value):
                    return one(value)
            elif _is(value, dict if _is(one, dict) else list):
                return shaped(one, value)
    return value
