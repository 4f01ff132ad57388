"""The dictionary of all canonical indicators: one literal table a layer, and the look-ups over them.

Owns every name that a source may fill and a rule may read; it must never hold a measured value.
"""

from __future__ import annotations

from perfconsole.model.dictionary import client, engine, gateway, gpu, host, net, orchestration, probe, profile
from perfconsole.model.dictionary.entry import Entry, Fold, Sort
from perfconsole.model.dictionary.lookup import Dictionary
from perfconsole.model.dictionary.marks import SUFFIXES, Mark, parse_mark

__all__ = ["DEFAULT", "SUFFIXES", "Dictionary", "Entry", "Fold", "Mark", "Sort", "parse_mark"]

_LAYERS = (client, gateway, orchestration, engine, gpu, host, net, probe, profile)

DEFAULT = Dictionary(tuple(entry for layer in _LAYERS for entry in layer.ENTRIES))
"""All indicators with the marks and owners they have before a team sets its own."""
