"""The KV cache of the simulated engine, in blocks. Owns how many are free; each request knows how many it has."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from perfconsole.demo.model.request import Request


class BlockPool:
    """So many blocks of so many tokens; a request takes them as it grows and gives all back at once."""

    def __init__(self, blocks: int, block_tokens: int) -> None:
        self._blocks = blocks
        self._block_tokens = block_tokens
        self._free = blocks

    @property
    def usage(self) -> float:
        """Share of the blocks that is taken."""
        return 1 - self._free / self._blocks

    def grow(self, request: Request, tokens: int) -> bool:
        """Take the blocks that so many more tokens need; False, and nothing taken, when there are not enough."""
        blocks = -(-(request.computed + tokens) // self._block_tokens)
        more = max(0, blocks - request.blocks)
        if more > self._free:
            return False
        self._free -= more
        request.blocks += more
        return True

    def release(self, request: Request) -> None:
        """All of its blocks are free again."""
        self._free += request.blocks
        request.blocks = 0
