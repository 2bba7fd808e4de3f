"""Incident events in the forms that other systems take, one module each: pure functions, no network."""
