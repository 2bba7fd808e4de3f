"""Small records: signals and units, errors, matches, and the sentences made of pydantic's errors."""

from __future__ import annotations

import pytest
from pydantic import ValidationError

from records.errors import ConfigError, FaultlineError, PatternError, RecordingError
from records.incidents import IncidentEvent
from records.matches import Match
from records.recordings import RecordingMeta
from records.signals import SIGNAL_INDEX, SIGNALS
from records.validation import explain, nearest

MATCH = """{"graph":"shop","node":"cart","peer":null,"series":null,"pattern":"p","version":1,"key":"node",
"severity":"critical","kind":"match","time":30,"start":10,"end":20,"runbook":null,
"steps":[{"name":"a","samples":[{"time":10,"value":1.5,"z":null,"metric":"cpu","signal":"cpu","baseline":null,
"unit":null,"peer":null}]},{"name":"b","samples":[{"time":20,"value":1,"signal":"errors"}]},{"name":"c","samples":[]}]}"""


def test_the_signals_have_their_agreed_order() -> None:
    names = "cpu memory disk network latency errors traffic saturation availability restarts other"
    assert " ".join(SIGNALS) == names
    assert SIGNAL_INDEX["other"] == 10


def test_an_error_shows_its_mend() -> None:
    assert str(RecordingError("it is broken", "mend it")) == "it is broken\n  mend: mend it"
    assert str(FaultlineError("it is broken")) == "it is broken"
    assert issubclass(PatternError, ConfigError)


def test_a_match_is_read_and_knows_its_signal() -> None:
    match = Match.model_validate_json(MATCH)
    assert match.signal == "errors"
    series = '{"metric":"latency_ms","labels":{"a":"b"},"signal":"latency","unit":"ms","peer":"frontend"}'
    keyed = Match.model_validate_json(MATCH.replace('"series":null', f'"series":{series}'))
    assert keyed.signal == "latency"


def test_a_match_is_immutable() -> None:
    match = Match.model_validate_json(MATCH)
    with pytest.raises(ValidationError):
        setattr(match, "node", "other")  # noqa: B010


def test_the_nearest_key() -> None:
    assert nearest("licnce", ["licence", "name"]) == "; did you mean 'licence'?"
    assert nearest("zzz", ["b", "a"]) == "; valid: a, b"


def sentences(model: type[IncidentEvent] | type[RecordingMeta], text: str) -> list[str]:
    with pytest.raises(ValidationError) as caught:
        model.model_validate_json(text)
    return explain(caught.value, model)


def test_an_unknown_key_deep_inside_names_the_nearest() -> None:
    text = '{"root_causes":[{"rank":1,"node":"a","evidence":[{"kind":"x","text":"y","metrc":"z"}]}]}'
    told = [each for each in sentences(IncidentEvent, text) if "unknown" in each]
    assert told == ["unknown key 'metrc' in root_causes.0.evidence.0; did you mean 'metric'?"]


def test_a_wrong_value_names_its_place() -> None:
    told = sentences(RecordingMeta, '{"name":"a","graph":"g","interval":"x","start":1,"end":2}')
    assert len(told) == 1
    assert told[0].startswith("interval: ")
