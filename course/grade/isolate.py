"""Namespaces."""

UNSHARE = ["unshare"]
HOME = "/tmp"


def why_not():
    return "not written"
