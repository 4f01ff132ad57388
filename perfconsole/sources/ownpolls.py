"""Takes the console's own polls out of a counter that counts every request, those for its own page included."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from perfconsole.model.sample import Sample


class OwnPolls:
    """Polls of one target since its counter was first seen, or began anew; the only writer of their number.

    The first one stays in: what came before it is of others and of us, and nobody can tell how much of each.
    """

    def __init__(self) -> None:
        self._polls = 0
        self._last = float("inf")

    def without(self, samples: Iterable[Sample], counter: str) -> tuple[Sample, ...]:
        """The samples of one poll, its counter without our polls; a counter in parts stays as it is."""
        samples = tuple(samples)
        if sum(sample.key.indicator == counter for sample in samples) != 1:
            return samples
        return tuple(self._less(sample) if sample.key.indicator == counter else sample for sample in samples)

    def _less(self, sample: Sample) -> Sample:
        if not isinstance(sample.value, float):
            return sample
        if sample.value < self._last:
            self._polls = 0
        elif sample.value > self._last:  # a page that was made before our poll came has not counted it
            self._polls += 1
        self._last = sample.value
        return replace(sample, value=max(0.0, sample.value - self._polls))
