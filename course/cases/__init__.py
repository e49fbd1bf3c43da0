"""What the exercises are tried on: `lesson_NN.py` holds the cases of lesson NN, and no answers.

`expected/NN.json` holds what the reference solutions gave for the draw that `check()` makes.
"""
