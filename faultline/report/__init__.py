"""The HTML report of a run: one self-contained page, made from the run's folder and its recordings.

Geometry and wording are computed here, in plain Python; the templates only write them down. Imports records
and the rest of this package; jinja2 in render.py alone.
"""
