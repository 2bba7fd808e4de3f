"""Patterns: the language in Python and YAML, its checks, its tests, and the library of shipped patterns.

    from cep_patterns import CEP, Pattern

`CEP` brings pyflink with it, so it is loaded when it is first asked for.
"""

from typing import TYPE_CHECKING, Any

from cep_patterns.pattern import AfterMatch, Pattern, WithinType

if TYPE_CHECKING:
    from cep_patterns.streams import CEP

__all__ = ["CEP", "AfterMatch", "Pattern", "WithinType"]


def __getattr__(name: str) -> Any:
    if name == "CEP":
        from cep_patterns.streams import CEP

        return CEP
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
