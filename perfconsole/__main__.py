"""`python -m perfconsole` is the same program as `perfconsole`."""

from perfconsole.cli import run

run()
