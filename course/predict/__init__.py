"""A prediction is a question whose answer is computed, never typed.

`predict` runs the reader's options against the run itself. In a live notebook the card asks, locks
the choice and only then fetches the answer from the kernel; everywhere else it is a page with the
answer folded. It knows nothing of engines or of the build.
"""

from .cards import Prediction, PredictionError
from .making import predict
from .record import record_exercise
from .table import progress

__all__ = ["Prediction", "PredictionError", "predict", "progress", "record_exercise"]
