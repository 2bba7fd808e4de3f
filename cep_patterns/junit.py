"""Test outcomes as JUnit XML, the form that CI servers read. Imports the standard library only."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import groupby
from typing import Final
from xml.etree import ElementTree

from cep_patterns.testing import TestOutcome

_NOT_XML: Final = re.compile("[^\t\n\r -\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def junit_xml(outcomes: Sequence[TestOutcome]) -> bytes:
    """A `testsuites` document: a suite per file, a case per test, its differences and timeline as failure.

    A file that cannot be used is a case with an error.
    """
    root = ElementTree.Element("testsuites", _counts(outcomes))
    for file, group in groupby(outcomes, key=lambda each: each.file):
        tests = list(group)
        suite = ElementTree.SubElement(root, "testsuite", {"name": file.name, **_counts(tests)})
        for each in tests:
            suite.append(_case(each))
    ElementTree.indent(root)
    text: bytes = ElementTree.tostring(root, encoding="utf-8", xml_declaration=True)
    return text


def _counts(outcomes: Sequence[TestOutcome]) -> dict[str, str]:
    errors = sum(each.is_error for each in outcomes)
    failed = sum(not each.passed for each in outcomes) - errors
    counts = {"tests": len(outcomes), "failures": failed, "errors": errors, "skipped": 0}
    return {name: str(count) for name, count in counts.items()}


def _case(outcome: TestOutcome) -> ElementTree.Element:
    about = {"name": _clean(outcome.name), "classname": ".".join(outcome.patterns), "file": str(outcome.file)}
    case = ElementTree.Element("testcase", about)
    if not outcome.passed:
        told = {"message": _clean(outcome.differences[0]), "type": outcome.kind}
        failure = ElementTree.SubElement(case, "error" if outcome.is_error else "failure", told)
        failure.text = _lines([*outcome.differences, "", *outcome.timeline])
    return case


def _lines(lines: Iterable[str]) -> str:
    return _clean("\n".join(lines))


def _clean(text: str) -> str:
    """Without characters that XML cannot hold."""
    return _NOT_XML.sub("?", text)
