"""What the set-up cell of a lesson imports; with it comes the cell magic `%%step`."""

from course.attempt import attempt
from course.predict import predict
from course.training_step import price, same_gradients
from whoholds.step import step  # registers the magic in a notebook

__all__ = ["attempt", "predict", "price", "same_gradients", "step"]
