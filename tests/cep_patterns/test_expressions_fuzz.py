"""Whatever text comes as a condition, the answer is a tree or a ConditionError; a tree survives its JSON."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from cep_patterns import tree
from cep_patterns.expressions import parse_condition
from cep_patterns.model import StepModel
from cep_patterns.vocabulary import CALLABLE, SAMPLE, ConditionError

WORDS = [
    *SAMPLE.fields,
    *sorted(CALLABLE),
    "labels",
    "a",
    "b",
    "and",
    "or",
    "not",
    "in",
    "is",
    "None",
    "True",
    "if",
    "lambda",
]
SIGNS = [
    "<",
    ">",
    "==",
    "!=",
    "<=",
    "+",
    "-",
    "*",
    "/",
    "%",
    "(",
    ")",
    "[",
    "]",
    ",",
    ".",
    "'cpu'",
    '"x"',
    "1",
    "0.5",
    ":",
]


def answer(text: str) -> tree.Expr | ConditionError:
    """What comes of a text; any other exception goes through."""
    try:
        return parse_condition(text, ("a", "b"))
    except ConditionError as error:
        return error


@settings(max_examples=300, deadline=None)
@given(st.lists(st.sampled_from([*WORDS, *SIGNS]), max_size=12).map(" ".join) | st.text(max_size=40))
def test_any_text_is_a_tree_or_a_refusal(text: str) -> None:
    given_answer = answer(text)
    if isinstance(given_answer, ConditionError):
        assert given_answer.message
        assert given_answer.column >= 1
    else:
        step = StepModel(name="s", where=given_answer)
        assert StepModel.model_validate_json(step.model_dump_json(by_alias=True)) == step


NUMBERS = st.sampled_from(["value", "z", "rel", "1", "2.5", "count(a)", "first(a).value", "avg(a.value)"])


def _larger(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    pairs = st.tuples(inner, st.sampled_from(["+", "-", "*"]), inner).map(lambda each: f"({' '.join(each)})")
    return pairs | inner.map(lambda each: f"abs({each})") | inner.map(lambda each: f"-{each}")


@settings(max_examples=200, deadline=None)
@given(
    st.tuples(
        st.recursive(NUMBERS, _larger, max_leaves=6),
        st.sampled_from(["<", ">=", "=="]),
        st.recursive(NUMBERS, _larger, max_leaves=6),
    )
)
def test_any_comparison_of_numbers_is_allowed(parts: tuple[str, str, str]) -> None:
    parsed = parse_condition(" ".join(parts), ("a",))
    assert StepModel.model_validate(StepModel(name="s", where=parsed).model_dump()).where == parsed
