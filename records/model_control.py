"""What the control topic tells the running job of models, and what the job answers on the audit topic.

Owns version 1 of these records: the one record of `faultline.control.v1` with the key MODEL_KEY, which says
all that is wanted of models, and the lines `model_ack` and `models_live` of `faultline.audit.v1`. Imports
pydantic only.
"""

from __future__ import annotations

from typing import Annotated, Final, Literal

from pydantic import Field, StringConstraints, TypeAdapter, model_validator

from records.control import Share
from records.samples import Name, TimeMs
from records.shares import covers
from records.validation import Record

MODEL_KEY: Final = "model/bundles"
"""No pattern has an id with a slash."""

_PROMOTED: Final = "promoted"
_ROLLBACK: Final = "rollback"
_SHORT: Final = 12
"""Last digits of a bundle's hash that name it in a request: two bundles may be taken back at once."""

Stage = Literal["shadow", "canary"]
Sha256 = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{64}$")]


class BundleRef(Record):
    """A bundle: what it is, and where the workers find its folder (a path or URL)."""

    name: Name
    version: Annotated[int, Field(ge=0)]
    sha256: Sha256
    path: str

    @property
    def label(self) -> str:
        """Name and version, as in the folder's name."""
        return f"{self.name}-{self.version}"


class Promotion(Record):
    """When the job itself puts a candidate into its next stage, from shadow to canary and from there to full.

    Over the last `after` scores of a worker, at least `agreement` (0..1) of the comparisons have the live
    bundle's first cause, at most `errors` (0..1) of the answers are errors or late, and 95 in 100 took
    `latency_ms` at most. `share`: of the graphs, as canary.
    """

    after: Annotated[int, Field(ge=1, le=100_000)]
    agreement: Annotated[float, Field(ge=0, le=1)] = 0.9
    errors: Annotated[float, Field(ge=0, le=1)] = 0.0
    latency_ms: Annotated[float, Field(gt=0)] = 62.0
    share: Share = 0.1


class Candidate(Record):
    """A bundle that is tried. `shadow`: it scores and is compared, and no event has its answer. `canary`:
    events of a share of graphs have it. `promote`: null = a command promotes it.
    """

    bundle: BundleRef
    stage: Stage
    share: Share = 1.0
    promote: Promotion | None = None

    def answers(self, graph: str) -> bool:
        """Whether the graph's events have its answer."""
        return self.stage == "canary" and covers(self.bundle.name, graph, self.share)


class ModelRecord(Record):
    """The bundles that are to serve; each record replaces the one before.

    `live`: null = the bundle of the job's configuration. `previous`: what was live before, null likewise.
    `by`: who wrote it; the job does when it takes a bundle back. `replaces`: the request that such a record
    is about: where another is in force by then, it is passed over. `time`: when it was sent, ms.
    `request`: names the record in answers.
    """

    v: Literal[1] = 1
    kind: Literal["model"] = "model"
    action: Literal["publish", "rollback"]
    live: BundleRef | None = None
    previous: BundleRef | None = None
    candidate: Candidate | None = None
    by: Literal["command", "job"] = "command"
    reason: str | None = None
    replaces: str | None = None
    time: TimeMs
    request: Name

    @model_validator(mode="after")
    def _the_job_says_what_it_replaces(self) -> ModelRecord:
        if (self.by == "job") != (self.replaces is not None):
            raise ValueError("a record of the job names the request that it replaces, no other does")
        return self

    def bundles(self) -> list[BundleRef]:
        """Those that must be ready to serve, the live one first."""
        tried = None if self.candidate is None else self.candidate.bundle
        return [each for each in (self.live, tried) if each is not None]

    def promotes(self, request: str) -> bool:
        """Whether the job wrote this to put the candidate of that request's record into its next stage."""
        return self.by == "job" and self.request == f"{request}-{_PROMOTED}"

    def restated(self, request: str) -> ModelRecord:
        """This record once more, from the job, after one of that request that did not come into force.

        The topic keeps the last record only: without this, a job that starts later would obey the other.
        """
        return self.model_copy(update={"by": "job", "replaces": request})

    def promoted(self, reason: str, time: int) -> ModelRecord:
        """The job's own record that puts the candidate into its next stage; it must be there, with a rule."""
        tried = self.candidate
        assert tried is not None
        assert tried.promote is not None
        live, previous, candidate = self.live, self.previous, None
        if tried.stage == "shadow":
            candidate = tried.model_copy(update={"stage": "canary", "share": tried.promote.share})
        else:
            live, previous = tried.bundle, live
        return self._by_the_job("publish", _PROMOTED, live, previous, candidate, reason, time)

    def without(self, sha256: str, reason: str, time: int) -> ModelRecord:
        """The job's own record that takes this bundle back: a candidate goes, a live one gives way to the
        previous.
        """
        candidate, live, previous = self.candidate, self.live, self.previous
        if candidate is not None and candidate.bundle.sha256 == sha256:
            candidate = None
        if live is not None and live.sha256 == sha256:
            live, previous = previous, None
        word = f"{_ROLLBACK}-{sha256[-_SHORT:]}"
        return self._by_the_job("rollback", word, live, previous, candidate, reason, time)

    def _by_the_job(
        self,
        action: Literal["publish", "rollback"],
        word: str,
        live: BundleRef | None,
        previous: BundleRef | None,
        candidate: Candidate | None,
        reason: str,
        time: int,
    ) -> ModelRecord:
        """A record that the job writes itself; `word` ends its request."""
        return ModelRecord(
            action=action,
            live=live,
            previous=previous,
            candidate=candidate,
            by="job",
            reason=reason,
            replaces=self.request,
            time=time,
            request=f"{self.request}-{word}",
        )


class _Told(Record):
    """A subtask of the operator `incidents`, from 0, of a job, and the bundles that serve there by then.

    `live`, `candidate`: name and version; `live` null for the configuration's. `stage`, `share`: of the
    candidate.
    """

    v: Literal[1] = 1
    job: str
    operator: Literal["incidents"] = "incidents"
    subtask: Annotated[int, Field(ge=0)]
    subtasks: Annotated[int, Field(ge=1)]
    live: str | None
    candidate: str | None
    stage: Stage | None
    share: Share
    request: str | None
    time: TimeMs | None

    @property
    def who(self) -> tuple[str, int]:
        """Job and subtask."""
        return self.job, self.subtask


class ModelAck(_Told):
    """What a record of the control topic came to; `reason` says why it was refused or passed over.

    `live`, `candidate`, `request`, `time` are the record's. `load_ms`: longest time that a worker took to
    load, prove and warm its bundles.
    """

    type: Literal["model_ack"] = "model_ack"
    state: Literal["live", "refused", "passed_over"]
    reason: str | None
    load_ms: float | None


class ModelsLive(_Told):
    """The bundles that serve, told by each subtask once after it started; `started`: when it did, ms."""

    type: Literal["models_live"] = "models_live"
    started: TimeMs


Told = Annotated[ModelAck | ModelsLive, Field(discriminator="type")]
_TOLD: Final[TypeAdapter[ModelAck | ModelsLive]] = TypeAdapter(Told)


def read_told(line: bytes) -> ModelAck | ModelsLive | None:
    """What a line of the audit says of bundles that serve; None for a line of another type.

    pydantic's ValidationError where it is of one of these types and not as it should be.
    """
    if b'"type":"model_ack"' not in line and b'"type":"models_live"' not in line:
        return None
    return _TOLD.validate_json(line)
