"""What holds for every test: the order, the real data, and which skips are allowed.

A skip is a failure unless its reason begins with one of ``ALLOWED_SKIPS``: a test that silently stopped
running must not look like one that passed.
"""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Generator, Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent

#: The counted list of reasons to skip; pytest prints each skipped test with its reason at the end.
ALLOWED_SKIPS = ("FAULTLINE_DATA", "no GPU")

#: Folders of slow tests, run after all others in this order.
SLOW_LAST = ("integration", "e2e")


def _slowness(item: pytest.Item) -> int:
    parts = item.path.relative_to(ROOT).parts
    return next((rank for rank, name in enumerate(SLOW_LAST, 1) if name in parts), 0)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Fast tests first; within a folder the order stays as collected."""
    items.sort(key=_slowness)


@pytest.fixture(scope="module", autouse=True)
def end_flushers() -> Iterator[None]:
    """Ends the threads that PyFlink 2.2 leaves behind for each operator of an embedded job.

    Each wakes once a second. After all tests with embedded jobs they were 1,200, and a producer in this
    process waited for the interpreter's lock for minutes.
    """
    yield
    utils = sys.modules.get("pyflink.fn_execution.utils.operation_utils")
    for thread in threading.enumerate():
        if utils is not None and isinstance(thread, utils.PeriodicThread):
            thread.cancel()


def skip_allowed(longrepr: object) -> bool:
    """True if a report's skip reason (path, line, reason) is on the list."""
    reason = longrepr[2] if isinstance(longrepr, tuple) else str(longrepr)
    return str(reason).removeprefix("Skipped: ").startswith(ALLOWED_SKIPS)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Turn a skip that is not on the list into a failure."""
    report = yield
    if report.skipped and not hasattr(report, "wasxfail") and not skip_allowed(report.longrepr):
        report.outcome = "failed"
        report.longrepr = f"{item.nodeid}: skipped for a reason that is not on the list: {report.longrepr}"
    return report


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(
    collector: pytest.Collector,
) -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    """The same for a whole module that skips itself."""
    report = yield
    if report.skipped and not skip_allowed(report.longrepr):
        report.outcome = "failed"
        report.longrepr = f"{collector.nodeid}: skipped for a reason not on the list: {report.longrepr}"
    return report


@pytest.fixture(scope="session")
def data_dir() -> Path:
    """The folder of the real data (``nezha/``, ``petshop/``), named by FAULTLINE_DATA; without it, a skip."""
    named = os.environ.get("FAULTLINE_DATA", "")
    if not named:
        pytest.skip("FAULTLINE_DATA is not set: no real data here")
    folder = Path(named)
    assert folder.is_dir(), f"FAULTLINE_DATA={named} is not a folder"
    return folder
