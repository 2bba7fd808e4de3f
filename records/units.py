"""Units: factors to the base units of frames (s, By, 1 and their rates per second). Imports nothing.

UCUM's grammar as far as monitoring uses it, and the words in which Prometheus and CloudWatch spell units; the
JVM's `Units` says the same, and a common table in the tests holds both to it.
"""

from __future__ import annotations

import math
import re
from typing import Final

_PREFIXES: Final = {
    **{prefix: 1000.0**power for power, prefix in enumerate(("k", "M", "G", "T", "P", "E"), start=1)},
    **{prefix: 1024.0**power for power, prefix in enumerate(("Ki", "Mi", "Gi", "Ti", "Pi", "Ei"), start=1)},
    **{prefix: 1000.0**-power for power, prefix in enumerate(("m", "u", "n", "p", "f"), start=1)},
    **{"c": 1e-2, "d": 1e-1, "da": 1e1, "h": 1e2},
}
_PREFIXED: Final = {"s": 1.0, "By": 1.0, "bit": 0.125, "cpu": 1.0} | dict.fromkeys(
    ("Hz", "m", "g", "K", "Cel", "J", "W", "V", "A"), 1.0
)
"""Atoms that take prefixes. Of what frames have no base unit for, the atom itself is 1."""
_PLAIN: Final = {
    **{"%": 0.01, "min": 60.0, "h": 3_600.0, "d": 86_400.0, "wk": 604_800.0},
    **{"[ppth]": 1e-3, "[ppm]": 1e-6, "[ppb]": 1e-9, "10*": 10.0, "10^": 10.0},
}
_COMPONENT: Final = re.compile(r"(?P<over>[./])?(?P<symbol>[^./{]*)(?P<note>\{[^}]*\})?")
_SYMBOL: Final = re.compile(r"(?P<atom>.*?[^0-9]??)(?P<exponent>[+-]?[0-9]{1,9})?")


def _words() -> dict[str, float]:
    words = {"nanosecond": 1e-9, "microsecond": 1e-6, "millisecond": 1e-3, "second": 1.0, "minute": 60.0}
    words |= {"hour": 3_600.0, "day": 86_400.0, "byte": 1.0, "bit": 0.125}
    for power, name in enumerate(("kilo", "mega", "giga", "tera"), start=1):
        words |= {f"{name}byte": 1000.0**power, f"{name}bit": 1000.0**power / 8}
        words[f"{name[:2]}bibyte"] = 1024.0**power
    words |= {f"{word}s": factor for word, factor in words.items()}
    return words | {"percent": 0.01, "ratio": 1.0, "count": 1.0, "none": 1.0}


_WORDS: Final = _words()


def factor(unit: str | None) -> float | None:
    """What a value in this unit is multiplied with to be in its base unit; None where it is not known.

    No unit, None or "", is no unknown one: 1.
    """
    if not unit:
        return 1.0
    found = _product(unit.replace("\u00b5", "u").replace("\u03bc", "u"))
    return _worded(unit.lower()) if found is None or not 0 < found < math.inf else found


def _product(unit: str) -> float | None:
    product, at = 1.0, 0
    while at < len(unit) or at == 0:
        found = _COMPONENT.match(unit, at)
        if found is None or found.end() == at or (at > 0 and not found["over"]):
            return None
        if at == 0 and found["over"] == ".":
            return None
        symbol, note = found["symbol"], found["note"]
        component = 1.0 if not symbol and note else _PREFIXES.get(symbol) if note == "{cpu}" else None
        component = _symbol(symbol) if component is None and symbol else component
        if component is None:
            return None
        product = product / component if found["over"] == "/" else product * component
        at = found.end()
    return product


def _symbol(symbol: str) -> float | None:
    if symbol.isdigit():
        return float(symbol) if len(symbol) <= 9 and int(symbol) > 0 else None
    found = _SYMBOL.fullmatch(symbol)
    if found is None:
        return None
    atom, exponent = _atom(found["atom"]), int(found["exponent"] or 1)
    return None if atom is None or abs(exponent * math.log10(atom)) > 300 else atom**exponent


def _atom(atom: str) -> float | None:
    known = _PLAIN.get(atom, _PREFIXED.get(atom))
    for length in (1, 2):
        prefix, rest = _PREFIXES.get(atom[:length]), _PREFIXED.get(atom[length:])
        if known is None and prefix is not None and rest is not None:
            known = prefix * rest
    return known


def _worded(unit: str) -> float | None:
    above, slash, below = unit.partition("/")
    amount = _WORDS.get(above)
    time = 1.0 if below in ("", "s") else _WORDS.get(below)
    return None if amount is None or time is None or (slash and not below) else amount / time
