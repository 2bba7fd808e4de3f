"""Changes many patterns or bundles of a running job from one process, and waits for the answers."""

from __future__ import annotations

import time
import uuid
from collections.abc import Iterable
from types import TracebackType
from typing import Any, Final, Literal, Self

from faultline import live_models
from faultline.kafka_send import COMPACTED, Follower, make_topic
from faultline.live_control import answers, expected
from faultline.live_patterns import read_lines
from records.control import AUDIT_TOPIC, CONTROL_TOPIC, ControlRecord, PatternAck
from records.model_control import MODEL_KEY, ModelAck, ModelRecord
from tests.kit.topics import DELIVERY_MS, producer_of

STORED_S: Final = DELIVERY_MS / 1_000


def record(
    action: Literal["publish", "retire"],
    name: str,
    version: int,
    pattern: dict[str, Any] | None = None,
    *,
    in_flight: Literal["drain", "drop"] = "drain",
    dry_run: bool = False,
) -> ControlRecord:
    """A record that is sent now; `pattern`: as PatternModel.wire() gives it."""
    return ControlRecord(
        action=action,
        id=name,
        version=version,
        in_flight=in_flight,
        dry_run=dry_run,
        pattern=pattern,
        time=int(time.time() * 1_000),
        request=uuid.uuid4().hex,
    )


class Control:
    """The control topic of a job while the ``with`` lasts."""

    def __init__(self, bootstrap: str) -> None:
        """Answers that are told from now on are found."""
        make_topic(bootstrap, CONTROL_TOPIC, COMPACTED)
        self._producer = producer_of(bootstrap, acks="all")
        self._audit = Follower(bootstrap, AUDIT_TOPIC)

    def send(self, records: Iterable[ControlRecord], timeout_s: float = 300.0) -> list[PatternAck]:
        """Sends records and waits until every subtask has answered each; the answers.

        RuntimeError where some are missing when the time is up, KafkaError where one could not be stored.
        """
        missing, stored = set(), []
        for each in records:
            sent = each.model_dump_json(exclude_none=True).encode()
            stored.append(self._producer.send(CONTROL_TOPIC, key=each.id.encode(), value=sent))
            missing.add(each.request)
        for future in stored:
            future.get(STORED_S)
        got: dict[str, dict[tuple[str, str, int], PatternAck]] = {request: {} for request in missing}
        for value in self._audit.values(time.monotonic() + timeout_s):
            for told in [] if value is None else read_lines([value]):
                if isinstance(told, PatternAck) and told.request in got:
                    got[told.request][told.who] = told
                    if len(got[told.request]) == told.subtasks:
                        missing.discard(told.request)
            if not missing:
                return [ack for acks in got.values() for ack in acks.values()]
        raise RuntimeError(f"{len(missing)} of {len(got)} records were not answered within {timeout_s:g} s")

    def swap(self, record: ModelRecord, timeout_s: float = 300.0) -> list[ModelAck]:
        """Sends the record of models and waits until every subtask has answered; the answers.

        RuntimeError where some are missing when the time is up, KafkaError where it could not be stored.
        """
        sent = record.model_dump_json(exclude_none=True).encode()
        self._producer.send(CONTROL_TOPIC, key=MODEL_KEY.encode(), value=sent).get(STORED_S)
        until = time.monotonic() + timeout_s
        acks = answers(self._audit, record.request, until, ModelAck, live_models.read_lines)
        if not acks or len(acks) != expected(acks):
            raise RuntimeError(f"{len(acks)} answers to {record.request} within {timeout_s:g} s")
        return acks

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None
    ) -> None:
        self._audit.close()
        self._producer.close()
