"""The card of a bundle: what it is, what it was trained on, how it scores, what it is known not to do."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from gnn.evaluate import kinds_table, table
from gnn.evaluation.metrics import Trust
from onnx_models.bundle import Manifest

SIMULATED_ONLY = "simulated systems only"
"""What a manifest says of a model that saw nothing else."""
_LIMITS = """## Known limits

- A fault that leaves no trace in the metrics cannot be found; the confidence should be low, not always is.
- The anomaly output is no detector: patterns detect, the model ranks.
- One cause per snapshot; a second fault at the same time is not ranked as such.
- Who measured a node's own latency (server or client) is not an input; the edges' client and server latencies
are.
"""


@dataclass(frozen=True, slots=True)
class Judged:
    """What a card tells: per scorer AC@1, AC@3, Avg@5 on fresh simulated systems, how often the signal is
    right there, how far the confidence can be trusted, means on healthy snapshots, and the scores on
    recordings by name, and by kind of fault on the simulated systems."""

    scores: dict[str, dict[str, float]]
    signal: float
    reliability: Trust
    healthy: dict[str, float]
    recordings: dict[str, dict[str, dict[str, float]]] = field(default_factory=dict)
    kinds: dict[str, dict[str, dict[str, float]]] = field(default_factory=dict)


def card(manifest: Manifest, judged: Judged) -> str:
    """Return the Markdown text."""
    trained, trust, healthy = manifest.trained_on, judged.reliability, judged.healthy
    cases = next(iter(judged.scores.values()))["cases"]
    return f"""# {manifest.name}-{manifest.version}

Temporal graph network that ranks root causes in a snapshot of {manifest.window_ticks} ticks.
{manifest.parameters:,} parameters, opset {manifest.opset}, features {manifest.feature_schema_hash[:12]}.
Any number of nodes from 1 and edges from 0.

## Trained on

{trained["snapshots"]:,} snapshots of {trained["systems"]:,} simulated systems,
in {trained["minutes"]} minutes with torch {trained["torch"]}. The whole configuration is in manifest.json.
{_start(trained)}
## Scores on simulated systems never seen

{cases} faults, each seen zero to eight ticks after it shows (or in its first ticks, where it never shows).

{table(judged.scores)}

N-sigma, BARO's scorer and PageRank see the raw series and are told the time; ties count as drawn at random.

{kinds_table(judged.kinds)}

| | |
|---|---|
| signal of the true node right | {judged.signal:.3f} |
| calibration error of the confidence | {trust.error:.3f} |
| mean confidence, share right | {trust.confidence:.3f}, {trust.right:.3f} |
| mean confidence without a fault | {healthy["confidence_healthy"]:.3f} |
| mean anomaly with a fault, without | {healthy["anomaly_faulty"]:.3f}, {healthy["anomaly_healthy"]:.3f} |

{_real(judged)}{_LIMITS}{_seen(trained)}"""


def _seen(trained: Mapping[str, Any]) -> str:
    """Return the limit that follows from what it was trained on."""
    if trained["source"] == SIMULATED_ONLY:
        return "- Trained on simulated faults only. Scores on real systems differ: judge it on yours.\n"
    return f"- Trained on {trained['source']}: what it learned there may not hold for other systems.\n"


def _start(trained: Mapping[str, Any]) -> str:
    """Return the sentence on the weights it started from, nothing where it started from none."""
    start = trained["config"]["train"].get("start", "")
    return f"Training started from the weights of {start}.\n" if start else ""


def _real(judged: Judged) -> str:
    """Return a section per recording."""
    return "".join(
        f"""## Scores on {name}, never trained on

{next(iter(scores.values()))["cases"]} labelled faults, each seen one tick after it shows.

{table(scores)}

"""
        for name, scores in judged.recordings.items()
    )
