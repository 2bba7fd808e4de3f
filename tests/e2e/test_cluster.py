"""The whole way with real parts: OTLP into Kafka, the job on a Flink cluster, root-cause events out of Kafka.

One broker, one cluster and one job serve all tests here; they run in order. A corrupt record lies in
the topic before the incident begins, so every later event shows that the job lived on.
"""

from __future__ import annotations

import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from records.recordings import Recording
from tests.kit.cluster import Cluster
from tests.kit.kafka import Broker

pytestmark = pytest.mark.e2e

CORRUPT = b"\x0a\xff\xff\xff\xff\x0fno protobuf at all \x00\xfe"
INPUT = "otlp_metrics"


@dataclass(frozen=True)
class Running:
    """The parts while the job runs."""

    broker: Broker
    cluster: Cluster
    recording: Recording
    config: Path

    def faultline(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        """Run the command as a person would; the caller looks at its status."""
        return subprocess.run(
            [sys.executable, "-m", "faultline", *arguments],
            capture_output=True,
            text=True,
            timeout=300,
            env=self.cluster.env(),
            check=False,
        )
