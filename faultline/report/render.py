"""Writes the report: jinja2 over the package's templates, everything escaped, nothing fetched from
anywhere.
"""

from __future__ import annotations

from pathlib import Path

from faultline.report.evaluation import EvaluationView
from faultline.report.view import ReportView, report_view
from faultline.run_folder import REPORT, RunFolder


def write_report(run: RunFolder) -> Path:
    """Writes DIR/report.html for the run and returns its path."""
    file = run.path / REPORT
    file.write_text(render(report_view(run)), encoding="utf-8")
    return file


def render(view: ReportView) -> str:
    """The page as text."""
    return _filled("report.html.j2", view)


def render_evaluation(view: EvaluationView) -> str:
    """The page of an evaluation as text."""
    return _filled("evaluation.html.j2", view)


def _filled(template: str, view: object) -> str:
    from jinja2 import Environment, PackageLoader, StrictUndefined

    from faultline import words

    environment = Environment(
        loader=PackageLoader("faultline", "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters.update(
        clock=words.clock,
        iso=words.iso,
        duration=words.duration,
        number=words.number,
        share=words.share,
        px=lambda value: f"{value:.1f}",
    )
    environment.globals.update(plural=words.plural)
    return environment.get_template(template).render(view=view)
