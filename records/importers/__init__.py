"""Public data sets to recordings, one module each."""
