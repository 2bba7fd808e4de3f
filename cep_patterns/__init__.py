"""Patterns: the language in Python and YAML, its checks, its tests, and the library of shipped patterns."""
