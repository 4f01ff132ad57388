"""Blocks are taken and given back, and never more than there are."""

from __future__ import annotations

from perfconsole.demo.model.kvcache import BlockPool
from perfconsole.demo.model.request import Ask, Request


def test_a_begun_block_is_a_whole_one() -> None:
    """17 tokens take two blocks of 16."""
    pool, request = BlockPool(4, 16), Request(1, Ask(50, 1), 0.0)
    assert pool.grow(request, 17)
    assert (request.blocks, pool.usage) == (2, 0.5)


def test_tokens_within_the_last_block_take_nothing() -> None:
    """It has room."""
    pool, request = BlockPool(4, 16), Request(1, Ask(50, 1), 0.0)
    pool.grow(request, 17)
    request.computed = 17
    assert pool.grow(request, 15)
    assert request.blocks == 2


def test_too_few_blocks_take_nothing() -> None:
    """All or nothing."""
    pool, request = BlockPool(2, 16), Request(1, Ask(50, 1), 0.0)
    assert not pool.grow(request, 40)
    assert (request.blocks, pool.usage) == (0, 0.0)


def test_what_is_given_back_can_be_taken_again() -> None:
    """By another."""
    pool, one, other = BlockPool(2, 16), Request(1, Ask(32, 1), 0.0), Request(2, Ask(32, 1), 0.0)
    pool.grow(one, 32)
    pool.release(one)
    assert pool.grow(other, 32)
