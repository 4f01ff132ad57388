"""Which models targets serve: each is asked once, on a thread of its own, and again only when a person wants it."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

from perfconsole.errors import UsageError
from perfconsole.sources.probetarget import plain_url
from perfconsole.sources.servedmodels import Served, served_models

if TYPE_CHECKING:
    from collections.abc import Callable

    from perfconsole.model.probeorders import Target

UNASKED = Served()


class Models:
    """Owns what targets have said, by URL. All but the asking itself is for the thread of the screen."""

    def __init__(self) -> None:
        self._served: dict[str, Served] = {}
        self._asking: set[str] = set()

    def ask(self, url: str, address: Callable[[str], Target], told: Callable[[], object]) -> None:
        """Ask a target that was not asked yet; `told` is called, on another thread, when it has answered."""
        if url not in self._served and url not in self._asking:
            self._asking.add(url)
            threading.Thread(target=self._work, args=(url, address, told), name="models", daemon=True).start()

    def served(self, url: str) -> Served:
        """What it said; nothing while it is asked."""
        return self._served.get(url, UNASKED)

    def forget(self, url: str) -> None:
        """Let it be asked again."""
        self._served.pop(url, None)

    def _work(self, url: str, address: Callable[[str], Target], told: Callable[[], object]) -> None:
        self._served[url] = _answer(url, address)
        self._asking.discard(url)
        told()


def _answer(url: str, address: Callable[[str], Target]) -> Served:
    try:
        target = address(url)
        if target.unix:
            return Served(trouble=f"{url}: a socket is not asked for its models", option="--model NAME")
        return served_models(plain_url(target), dict(target.headers))
    except UsageError as error:
        return Served(trouble=str(error), answered=False)
    except Exception as error:  # noqa: BLE001 - a thread that ends without a word would leave people waiting
        words = f"fault in perfconsole, please report it: {type(error).__name__}: {error}"
        return Served(trouble=words, answered=False)
