"""The operator `models`: loads, proves and warms what the control topic names, in every worker.

Each subtask gets every record and tells its outcome; loading holds up nothing but this operator. Imports
pyflink.
"""

from __future__ import annotations

import hashlib
import logging
import time
from collections.abc import Iterator

from pydantic import ValidationError
from pyflink.common import Row
from pyflink.datastream import ProcessFunction, RuntimeContext

from jobs.model_loading import Provider, prove_published
from jobs.model_state import Outcome, write_outcome
from records.errors import FaultlineError
from records.model_control import MODEL_KEY, ModelRecord
from records.validation import explain

log = logging.getLogger(__name__)

MODEL = "model"
"""Kind of a row with an outcome, to `incidents`; and of one with the record in force, on to `score`."""


class LoadModels(ProcessFunction):
    """Rows (key, value) of the control topic in, outcomes out. `slow_ms`: for a golden snapshot."""

    def __init__(self, provider: Provider, slow_ms: float) -> None:
        self._provider = provider
        self._slow_ms = slow_ms

    def open(self, runtime_context: RuntimeContext) -> None:
        """Called once in the worker."""
        self._subtask = runtime_context.get_index_of_this_subtask()
        self._subtasks = runtime_context.get_number_of_parallel_subtasks()

    def process_element(self, value: Row, ctx: ProcessFunction.Context) -> Iterator[Row]:
        """One record of the control topic, maybe of something else than models."""
        key, content = value
        if key != MODEL_KEY:
            return
        began = time.perf_counter()
        data = None if content is None else bytes(content)
        record, reason = self.made_ready(data)
        load_ms = (time.perf_counter() - began) * 1_000
        name = "deleted" if data is None else hashlib.sha256(data).hexdigest()
        log.info("stage=models record=%s ms=%.0f refused=%s", name[:12], load_ms, reason)
        outcome = Outcome(name, record, self._subtask, self._subtasks, reason, load_ms)
        yield Row("", MODEL, 0, write_outcome(outcome))

    def made_ready(self, data: bytes | None) -> tuple[ModelRecord | None, str | None]:
        """The record, and why it is refused, if it is."""
        if data is None:
            return None, None
        try:
            record = ModelRecord.model_validate_json(data)
        except ValidationError as error:
            return None, "; ".join(explain(error, ModelRecord))
        try:
            for bundle in record.bundles():
                prove_published(bundle, self._provider, self._slow_ms)
        except FaultlineError as error:
            return record, error.message
        except Exception as error:  # noqa: BLE001  # the operator's edge: a bad bundle never stops the job
            return record, f"it cannot be loaded: {error!r}"
        return record, None
