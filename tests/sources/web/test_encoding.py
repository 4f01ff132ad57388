"""Unpacking pages, without a server."""

from __future__ import annotations

import gzip
import zlib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from perfconsole.sources.web.encoding import unpack
from perfconsole.sources.web.failure import FetchError, FetchKind
from tests.sources.fetching import METRICS


@settings(deadline=None)
@given(page=st.binary(max_size=2000), cut=st.integers(0, 3))
def test_whatever_was_packed_comes_out_again(page: bytes, cut: int) -> None:
    """Gzip in one part or two, and deflate with and without wrapper, all give the page."""
    bare = zlib.compressobj(wbits=-zlib.MAX_WBITS)
    assert unpack(gzip.compress(page[:cut]) + gzip.compress(page[cut:]), "gzip", 2000) == page
    assert unpack(zlib.compress(page), "deflate", 2000) == page
    assert unpack(bare.compress(page) + bare.flush(), "Deflate", 2000) == page


@settings(deadline=None)
@given(raw_page=st.binary(max_size=200), encoding=st.sampled_from(["gzip", "x-gzip", "deflate", "br", "", "identity"]))
def test_any_bytes_are_a_page_or_an_error(raw_page: bytes, encoding: str) -> None:
    """No bytes make unpacking raise anything but a fetch error or give more than the limit."""
    kind = FetchKind.BROKEN
    try:
        page = unpack(raw_page, encoding, 200)
    except FetchError as error:
        page, kind = b"", error.kind
    assert len(page) <= 200
    assert kind in {FetchKind.BROKEN, FetchKind.TOO_LARGE}


@settings(deadline=None)
@given(size=st.integers(1, 3000), limit=st.integers(1, 3000))
def test_the_limit_is_exact(size: int, limit: int) -> None:
    """A page of just the limit passes, one byte more does not."""
    packed = gzip.compress(b"x" * size)
    if size <= limit:
        assert len(unpack(packed, "gzip", limit)) == size
    else:
        with pytest.raises(FetchError, match="page is larger than"):
            unpack(packed, "gzip", limit)


def test_a_cut_packed_page_is_broken() -> None:
    """A packed page that stops early is no page, even though its beginning could be read."""
    with pytest.raises(FetchError, match="packed page stops in the middle"):
        unpack(gzip.compress(METRICS)[:-4], "gzip", 1000)


def test_a_page_of_thousands_of_parts_is_broken() -> None:
    """Parts without content, which would cost minutes, end after a few."""
    with pytest.raises(FetchError, match="more than 64 parts"):
        unpack(gzip.compress(b"") * 100, "gzip", 1000)
