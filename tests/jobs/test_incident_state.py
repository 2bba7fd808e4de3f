"""State bytes: round trips, the golden file of each released version, and what is refused.

The golden file is written anew with `python -m tests.jobs.test_incident_state` and only for a new version.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from jobs.grouping import Incident
from jobs.incident import State
from jobs.incident_state import VERSION, StateError, read_state, write_state
from tests.jobs.rows import alert, tick_end

GOLDEN = Path(__file__).parent / "golden"


def example() -> State:
    """A state with something in every field."""
    first = alert(6, "cart", "latency", runbook="https://runbooks.example/slow", severity="critical")
    second = alert(7, "frontend", "errors", peer="gateway")
    incident = Incident(
        "inc-0123456789ab", tick_end(6), (first, second), tick_end(7), tick_end(7), tick_end(8), 3
    )
    return State(
        graph="shop",
        waiting=(alert(9, "cart", "cpu"),),
        incidents=(incident,),
        ring=(tick_end(7), tick_end(8)),
        tick_ms=15_000,
        last_data=tick_end(8),
        wake_at=tick_end(20),
    )


@pytest.mark.parametrize("state", [State("shop"), example()], ids=["empty", "full"])
def test_a_state_survives_its_bytes(state: State) -> None:
    assert read_state(write_state(state)) == state
    assert write_state(read_state(write_state(state))) == write_state(state)


def test_the_golden_file_of_this_version_has_these_bytes() -> None:
    assert (GOLDEN / f"incident_state_v{VERSION}.json").read_bytes() == write_state(example())


@pytest.mark.parametrize("version", range(1, VERSION + 1))
def test_every_released_version_is_read(version: int) -> None:
    assert read_state((GOLDEN / f"incident_state_v{version}.json").read_bytes()) == example()


@pytest.mark.parametrize("data", [b"", b"\x80\x04", b"[]", b"{}", b'{"v":99}'])
def test_other_bytes_are_refused(data: bytes) -> None:
    with pytest.raises(StateError, match="incident state"):
        read_state(data)


if __name__ == "__main__":
    (GOLDEN / f"incident_state_v{VERSION}.json").write_bytes(write_state(example()))
