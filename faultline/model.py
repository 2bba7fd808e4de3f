"""`faultline model`: the life of a model. Its commands stand in modules of their own, one per subject; heavy
libraries are imported inside the commands.
"""

from __future__ import annotations

import typer

from faultline import model_bundles, model_evaluate, model_live, model_retrain, model_train

app = typer.Typer(no_args_is_help=True, help="Models: what ranks the causes.")
model_bundles.register(app)
model_train.register(app)
model_evaluate.register(app)
model_retrain.register(app)
model_live.register(app)
