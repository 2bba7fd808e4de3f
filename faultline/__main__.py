"""`python -m faultline`: the command, for where the console script is not on PATH."""

from faultline.main import app

app(prog_name="faultline")
