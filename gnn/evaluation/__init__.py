"""Judges a bundle: the windows it is asked about, what it is compared with, and what came of it.

Needs numpy and ONNX Runtime (and scikit-learn for the trees), never torch. Frames are always made by the
job's own normaliser.
"""
