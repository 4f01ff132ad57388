"""What all tests share."""

from __future__ import annotations

from hypothesis import settings

# A test says nothing about time: two shared cores may be away for a second.
settings.register_profile("perfconsole", deadline=None)
settings.load_profile("perfconsole")
