"""The report of a small fixed run: what it says, that it is one safe page, and what it does with less."""

from __future__ import annotations

import re
import shutil
from html.parser import HTMLParser
from pathlib import Path

import pytest

from faultline.report.render import render, write_report
from faultline.report.view import ReportView, report_view
from faultline.run_folder import open_run
from records.incidents import Evidence, IncidentEvent, PathEdge, RootCause
from tests.faultline.run_folder_kit import at, event, run_folder

VOID = {"meta", "br", "hr", "img", "input", "link"}
HOSTILE = "<script>alert(1)</script>"


class Page(HTMLParser):
    """Reads a page strictly: tags must close in order. Collects tags, attributes and text."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.open: list[str] = []
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str]] = []
        self.classes: list[tuple[str, str]] = []
        self.words: list[str] = []
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += [(name, value or "") for name, value in attrs]
        self.classes += [(tag, each) for each in (dict(attrs).get("class") or "").split()]
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        if tag not in VOID:
            self.open.pop()

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self.open[-1:] != ["style"]:
            self.words.append(data)

    @property
    def text(self) -> str:
        """All text, blanks collapsed."""
        return " ".join(" ".join(self.words).split())


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The run's folder, made once: tests that change it copy it first."""
    return run_folder(tmp_path_factory.mktemp("report") / "run")


@pytest.fixture(scope="module")
def view(folder: Path) -> ReportView:
    """What the report of the run says."""
    return report_view(open_run(folder))


@pytest.fixture(scope="module")
def page(view: ReportView) -> Page:
    """The page of the run."""
    return Page(render(view))


def page_of(folder: Path, events: list[IncidentEvent]) -> Page:
    """The page of a run with these events."""
    return Page(render(report_view(open_run(run_folder(folder / "run", events)))))


def test_the_page_leads_with_the_cause_and_why(page: Page) -> None:
    for text in (
        "1 incident in shop",
        "cart cpu",
        "cpu of cart rose to 97.4 %, 29 robust deviations above its baseline.",
        "2026-01-01 01:02:00",
        "2 min after onset",
        "tgnn 1",
        "0.87",
        "right, 2 min after",
        "found 1 of 1 fault (1 within 5 min)",
        "Recorded fault: cpu_contention on cart (cpu), 2026-01-01 01:00:00 to 01:10:00",
        "Check what takes the CPU of cart https://runbooks.example/cpu",
        "2,736",
    ):
        assert text in page.text


def test_the_graph_marks_cause_path_anomaly_and_silence(view: ReportView) -> None:
    graph = view.incidents[0].pictures.graph
    assert graph is not None
    nodes = {node.name: node for node in graph.nodes}

    assert len(nodes) == 11
    assert nodes["cart"].classes == "cause"
    assert {name for name, node in nodes.items() if node.classes == "path"} == {"checkout", "frontend"}
    assert nodes["ad"].classes == "silent"
    assert nodes["redis"].classes == "unseen"
    assert nodes["cart"].heat > nodes["checkout"].heat > nodes["frontend"].heat > nodes["payment"].heat == 0
    assert nodes["checkout"].detail == "latency z 17"
    assert [edge.title for edge in graph.edges if edge.on_path] == [
        "checkout calls cart, explains the incident (weight 0.81)",
        "frontend calls checkout, explains the incident (weight 0.44)",
    ]
    assert "The cause is cart. Anomalous: cart, checkout, frontend. Silent: ad." in graph.summary


def test_the_charts_show_the_matched_samples_first(view: ReportView) -> None:
    charts = view.incidents[0].pictures.charts

    assert [each.name for each in charts] == ["cpu_usage", "request_latency_p95", "memory_usage"]
    assert [len(each.dots) for each in charts] == [2, 0, 0]
    assert charts[0].dots[1].title == "2026-01-01 01:01:00: 97.4 %, z 29.0 (cpu-deviation, step high)"
    assert charts[0].baseline is not None
    assert charts[0].fault is not None
    ((node, noticed),) = view.incidents[0].pictures.noticed
    assert (node, noticed.name, len(noticed.dots)) == ("checkout", "request_latency_p95", 1)


def test_the_ranking_is_drawn_as_bars(view: ReportView, page: Page) -> None:
    causes = view.incidents[0].causes

    assert [(each.rank, each.node, each.score) for each in causes] == [
        (1, "cart", "0.87"),
        (2, "checkout", "0.07"),
        (3, "frontend", "0.03"),
    ]
    assert causes[0].width == 100
    assert causes[1].width == pytest.approx(100 * 0.07 / 0.87)
    assert page.classes.count(("div", "fill")) == 3


def test_every_picture_has_a_title(page: Page) -> None:
    assert page.tags.count("figure") == 4
    pictures = [value for name, value in page.attributes if (name, value) == ("role", "img")]
    hidden = [value for name, value in page.attributes if (name, value) == ("aria-hidden", "true")]
    assert len(pictures) == 5
    assert (
        page.tags.count("svg") == len(pictures) + len(hidden) - 1
    )  # the dot before the headline is no picture
    assert page.tags.count("title") >= 1 + len(pictures)


def test_the_page_fetches_nothing(folder: Path) -> None:
    text = write_report(open_run(folder)).read_text(encoding="utf-8")
    page = Page(text)

    assert not {"script", "link", "img", "iframe", "object", "base", "form"} & set(page.tags)
    assert [value for name, value in page.attributes if name in {"src", "srcset", "action", "data"}] == []
    assert all(value.startswith("#") for name, value in page.attributes if name in {"href", "xlink:href"})
    assert re.findall(r"@import|url\((?!#)", text) == []
    assert "default-src 'none'" in dict(page.attributes)["content"] or "default-src 'none'" in text


def test_hostile_names_stay_text(tmp_path: Path) -> None:
    bad = f'{HOSTILE}" onload="x'
    evidence = [Evidence(kind=bad, text=bad, metric=bad, unit=bad, value=1.0)]
    told = event(
        1,
        root_causes=[RootCause(rank=1, node=bad, signal="cpu", score=0.9, evidence=evidence)],
        path=[PathEdge(source=f"{bad}2", target=bad, weight=0.5)],
        blast_radius=[bad],
        reason=bad,
        method="fallback",
        incident_id=bad,
    )
    text = render(report_view(open_run(run_folder(tmp_path / "run", [told]))))
    page = Page(text)

    assert "script" not in page.tags
    assert "onload" not in {name for name, _ in page.attributes}
    assert HOSTILE not in text
    assert page.text.count(HOSTILE) >= 6


def test_the_fallback_says_so(tmp_path: Path) -> None:
    page = page_of(
        tmp_path, [event(1, method="fallback", reason="the model did not answer in time", model=None)]
    )

    assert "Ranked by the fallback, not by the model: the model did not answer in time." in page.text


def test_a_run_without_incidents_says_so(tmp_path: Path) -> None:
    page = page_of(tmp_path, [])

    assert "No incident in shop" in page.text
    assert "missed: shop/cart cpu_contention at 2026-01-01 01:00:00" in page.text
    assert "article" not in page.tags


def test_an_incident_without_a_ranking(tmp_path: Path) -> None:
    page = page_of(tmp_path, [event(1, root_causes=[], path=[], method="fallback", reason="no frame yet")])

    assert "No cause ranked" in page.text
    assert "Nothing was ranked: no frame yet." in page.text


def test_several_incidents_are_listed_first(tmp_path: Path) -> None:
    second = event(1, incident_id="inc-2", onset=at(80), detected_at=at(81), time=at(81))
    page = page_of(tmp_path, [event(1), second])

    assert page.tags.count("article") == 2
    assert [value for name, value in page.attributes if name == "href"] == ["#incident-1", "#incident-2"]
    assert "2 incidents in shop" in page.text
    assert page.text.count("false alarm") >= 2


def test_without_frames_the_event_alone_draws_the_graph(folder: Path, tmp_path: Path) -> None:
    copy = shutil.copytree(folder, tmp_path / "run")
    shutil.rmtree(copy / "frames")
    (section,) = report_view(open_run(copy)).incidents

    assert section.pictures.graph is not None
    assert {node.name for node in section.pictures.graph.nodes} == {"cart", "checkout", "frontend"}


def test_without_the_recording_the_matched_samples_are_still_drawn(folder: Path, tmp_path: Path) -> None:
    copy = shutil.copytree(folder, tmp_path / "run")
    meta = (copy / "run.json").read_text(encoding="utf-8").replace("/recording", "/moved")
    (copy / "run.json").write_text(meta, encoding="utf-8")
    view = report_view(open_run(copy))

    assert "is no longer there" in view.warnings[0]
    assert [(each.name, len(each.lines), len(each.dots)) for each in view.incidents[0].pictures.charts] == [
        ("cpu_usage", 0, 2)
    ]
    Page(render(view))


def test_the_recording_can_be_named_where_it_moved(folder: Path, tmp_path: Path) -> None:
    copy = shutil.copytree(folder, tmp_path / "run")
    moved = shutil.copytree(folder.parent / "recording", tmp_path / "elsewhere")
    (copy / "run.json").unlink()
    view = report_view(open_run(copy, (moved,)))

    assert view.warnings == ()
    assert len(view.incidents[0].pictures.charts) == 3


def test_without_matches_the_triggers_mark_the_samples(folder: Path, tmp_path: Path) -> None:
    copy = shutil.copytree(folder, tmp_path / "run")
    (copy / "matches.ndjson").unlink()
    (section,) = report_view(open_run(copy)).incidents

    assert len(section.pictures.charts[0].dots) == 1


def test_what_was_lost_is_told(folder: Path, tmp_path: Path) -> None:
    copy = shutil.copytree(folder, tmp_path / "run")
    (copy / "dead-letters.ndjson").write_text('{"topic":"t","value":"?"}\n')
    (copy / "audit.ndjson").write_text(
        '{"type":"late","samples":3}\n{"type":"other"}\n{"type":"late","samples":4}\n'
    )
    view = report_view(open_run(copy))

    assert dict(view.counts)["late samples"] == "7"
    assert "1 record could not be read: see dead-letters.ndjson." in view.warnings


def test_the_same_run_gives_the_same_page(folder: Path) -> None:
    assert render(report_view(open_run(folder))) == render(report_view(open_run(folder)))
