"""What the frames of a run say about the nodes of its incidents: anomalous, silent, never seen, and the
edges.

One pass over the frame rows for all incidents, keeping a few numbers per incident and node. Imports records
only.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final

import numpy as np

from faultline.history import History
from records.frames import FEATURES, NEVER_SEEN, SILENT, FrameRow
from records.incidents import IncidentEvent
from records.signals import SIGNALS

ANOMALOUS_Z: Final = 6.0
"""From here on a node is shaded: where the job's own baseline stops to learn."""
_Z: Final = FEATURES.index("z")


@dataclass
class NodeMark:
    """One node during an incident: the largest |z| and its signal, and whether it fell silent or was never
    seen.
    """

    z: float = 0.0
    signal: str | None = None
    silent: bool = False
    never_seen: bool = False

    @property
    def anomalous(self) -> bool:
        """Whether the node is worth shading."""
        return abs(self.z) >= ANOMALOUS_Z


@dataclass
class GraphMarks:
    """The graph of one incident: its nodes, and the edges (source, target) that were live when it was
    found.
    """

    nodes: dict[str, NodeMark] = field(default_factory=dict)
    edges: dict[tuple[str, str], None] = field(default_factory=dict)
    tick_ms: int | None = None


def marks_of(incidents: Sequence[History], rows: Iterable[FrameRow]) -> dict[str, GraphMarks]:
    """The marks of each incident, by id; what only the event names is added at the end."""
    marks = {incident.incident_id: GraphMarks() for incident in incidents}
    for row in rows:
        for incident in incidents:
            if incident.graph == row.graph and _is_during(incident, row):
                _take(marks[incident.incident_id], row)
    for incident in incidents:
        _add_named(marks[incident.incident_id], incident.answer)
    return marks


def _is_during(incident: History, row: FrameRow) -> bool:
    until = max(incident.answer.time, incident.opened) + row.tick_ms
    return incident.first.onset < row.time <= until


def _take(marks: GraphMarks, row: FrameRow) -> None:
    marks.tick_ms = row.tick_ms
    marks.edges.update(dict.fromkeys((row.nodes[a], row.nodes[b]) for a, b in row.edges.tolist()))
    z = row.frames[:, :, _Z]
    strongest = np.abs(z).argmax(axis=1) if len(row.nodes) else np.zeros(0, np.int64)
    for index, name in enumerate(row.nodes):
        mark = marks.nodes.setdefault(name, NodeMark(never_seen=True))
        presence, value = int(row.presence[index]), float(z[index, strongest[index]])
        mark.never_seen = mark.never_seen and presence == NEVER_SEEN
        mark.silent = mark.silent or presence == SILENT
        if abs(value) > abs(mark.z):
            mark.z, mark.signal = value, SIGNALS[int(strongest[index])]


def _add_named(marks: GraphMarks, event: IncidentEvent) -> None:
    """Nodes and edges that the event names: all there is where the run kept no frames."""
    path = [(edge.source, edge.target) for edge in event.path]
    marks.edges.update(dict.fromkeys(path))
    named = [cause.node for cause in event.root_causes] + [trigger.node for trigger in event.triggers]
    for name in (*named, *event.blast_radius, *(node for edge in path for node in edge)):
        marks.nodes.setdefault(name, NodeMark())
