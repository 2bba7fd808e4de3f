"""What the columns of an RCAEval table mean: `<service>_<metric>`, in two spellings.

The short one (`cart_cpu`) is what the publishers' own methods read; the long one (`cart_container-...`,
`cart_istio-...`) is what their collector wrote. In both every column is a level or a rate already, in spite
of names that end in `total`. A unit stands here only where the publishers' code or paper says it: memory in
bytes, Istio's percentiles in seconds, request and error rates per second. Imports this package only.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from records.importers.tables import Column, Measure
from records.signals import Signal

_KINDS: Final[tuple[tuple[str, Signal, str | None], ...]] = (
    ("cpu", "cpu", None),
    ("mem|memory", "memory", "By"),
    ("diskio", "disk", None),
    ("socket", "network", None),
    (r"latency-\d+", "latency", "s"),
    (r"latency|lat_\d+", "latency", None),
    ("workload", "traffic", "1/s"),
    ("load", "traffic", None),
    ("error", "errors", "1/s"),
    ("container-cpu-.*", "cpu", None),
    ("container-memory-(usage-bytes|working-set-bytes|rss|cache|mapped-file)", "memory", "By"),
    ("container-fs-.*", "disk", None),
    ("container-(network|sockets).*", "network", None),
    (r"istio-latency-\d+", "latency", "s"),
    ("istio-request-total", "traffic", None),
    ("istio-error-total", "errors", None),
)
"""Pattern of the metric's name, signal and unit; the first that matches the whole name counts."""

NO_NODES: Final = frozenset({"istio-proxy", "istio-init", "PassthroughCluster", "unknown", "main", "POD"})
"""Names before the underscore that are no service: sidecars and what the mesh could not attribute."""

TIME_NAMES: Final = ("time", "Time", "timestamp", "imte")
"""Names of the time column; the last one is a slip in some published files."""

_COLUMN: Final = re.compile(r"(?P<service>.+?)_(?P<metric>lat_\d+|[^_]+)")
_HOST: Final = re.compile(r"\d+-\d+-\d+-\d+(-\d+)?|\d+\.\d+\.\d+\.\d+(:\d+)?")
_REPEATED: Final = re.compile(r"\.\d+$")
_EXTERNAL: Final = "-external"


def column_of(index: int, name: str) -> Column | None:
    """The series of a column; None where it is the time, of no service, or of a host (which service runs
    where is not published).

    What reaches a service from outside (`frontend-external_...`) belongs to that service, as a series of
    its own.
    """
    found = _COLUMN.fullmatch(name)
    if found is None or found["service"] in NO_NODES or _HOST.fullmatch(found["service"]):
        return None
    node, metric = found["service"], found["metric"]
    measure = _measure(metric)
    if node.endswith(_EXTERNAL):
        node = node.removesuffix(_EXTERNAL)
        measure = Measure(f"external_{measure.metric}", measure.signal, measure.unit)
    return Column(index, node, measure)


def _measure(metric: str) -> Measure:
    for pattern, signal, unit in _KINDS:
        if re.fullmatch(pattern, metric):
            return Measure(metric, signal, unit)
    return Measure(metric, "other", None)


def columns_of(header: Sequence[str]) -> list[Column]:
    """The series of a table.

    Of columns with the same name, or the same but for a suffix `.1`, the first: they are copies.
    """
    known = set(header)
    taken: set[tuple[str, str]] = set()
    columns = []
    for index, name in enumerate(header):
        if _REPEATED.search(name) and _REPEATED.sub("", name) in known:
            continue
        column = column_of(index, name)
        if column is not None and (column.node, column.measure.metric) not in taken:
            taken.add((column.node, column.measure.metric))
            columns.append(column)
    return columns


def time_index(header: Sequence[str]) -> int | None:
    """Where the time stands; None where no column is named so."""
    return next((header.index(name) for name in TIME_NAMES if name in header), None)
