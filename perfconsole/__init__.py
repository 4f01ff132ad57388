"""The console an on-call engineer opens first when LLM serving goes wrong."""

__version__ = "0.1.0"
