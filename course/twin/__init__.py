"""Twins: the same lines run on minigrad and on real PyTorch, and must say the same.

`tracker` counts PyTorch's CPU bytes exactly and lends it minigrad's three memory functions;
`compare` turns what a run reports into plain data and names the differences. Nothing here knows
a lesson or a test: both use it.
"""
