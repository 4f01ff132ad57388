"""What one entity shows at one tick: every operand read at most once, however many conditions name it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfconsole.model.expression import Base, Name, OverEntities, OverTime

if TYPE_CHECKING:
    from perfconsole.diagnose.evaluate import Reader
    from perfconsole.diagnose.holds import Hold
    from perfconsole.model.entity import Entity
    from perfconsole.model.sample import Missing

Operand = Name | Base | OverTime | OverEntities


class Seen(dict[str, "float | Missing"]):
    """Values by indicator, read when first asked for; functions and baselines stand under their own text.

    A dict because conditions look up some thousand values a tick: a hit costs no call.
    """

    __slots__ = ("_reader", "entity", "holds", "run_s", "t")

    def __init__(self, reader: Reader, entity: Entity, holds: dict[int, Hold]) -> None:
        super().__init__(reader.known(entity))
        self._reader = reader
        self.entity = entity
        self.holds = holds
        """Those of this entity, by the identity of their node."""
        self.t = reader.t
        self.run_s = reader.run_s

    def __missing__(self, name: str) -> float | Missing:
        """Read a plain indicator."""
        value = self[name] = self._reader.read(name, self.entity)
        return value

    def operand(self, key: str, node: Operand) -> float | Missing:
        """Value of any operand; `key` is that of `key_of`."""
        value = self.get(key)
        if value is None:
            value = self[key] = self._read(node)
        return value

    def _read(self, node: Operand) -> float | Missing:
        match node:
            case Name():
                return self._reader.read(node.name, self.entity)
            case Base():
                return self._reader.base(node.name, self.entity)
            case OverTime():
                return self._reader.over_time(node.function, node.name, self.entity, node.window_s)
            case OverEntities():
                return self._reader.over_entities(node.function, node.name, self.entity)

    def full_window_s(self, name: str) -> float:
        """History without which the indicator cannot speak."""
        return self._reader.full_window_s(name)


def text_of(node: Operand) -> str:
    """The operand as evidence names it."""
    match node:
        case Name():
            return node.name
        case Base():
            return f"base({node.name})"
        case OverTime():
            return f"{node.function}({node.name}[{node.window_s:g}s])"
        case OverEntities():
            return f"{node.function}({node.name})"


def key_of(node: Operand) -> str:
    """What tells the operand from every other: the window to the last digit, where the text rounds it."""
    return f"{node.function}({node.name}[{node.window_s!r}])" if isinstance(node, OverTime) else text_of(node)
