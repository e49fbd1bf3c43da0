"""The engine: who owns the bytes, what a node is and keeps, how backward walks.

To read it: storage.py, node.py, saved.py, op.py, backward.py. No file here knows which operations
there are, nor who watches.
"""
