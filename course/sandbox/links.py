"""Where packages lie that an environment has as links only, as `uv` and `conda` can make them."""

import os


def targets(folder):
    """The paths, outside of `folder`, of the packages and modules in it that are links.

    A package may be a link itself, or a folder of links to the files of another folder that looks
    the same; that other folder is given then.
    """
    found = set()
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.is_symlink():
                found.update(_followed(entry.path))
            elif entry.is_dir():
                found.update(_mirrored(entry.path))
    return found


def _followed(path):
    """Each place that a link leads to, one after the other: a link may lead to a link."""
    places = []
    while os.path.islink(path) and path not in places:
        path = os.path.normpath(os.path.join(os.path.dirname(path), os.readlink(path)))
        places.append(path)
    return [*places, os.path.realpath(path)]


def _mirrored(package):
    """The folders that the first links below this one lead into, up to the package's own level."""
    for folder, _, names in os.walk(package):
        links = [path for name in names if os.path.islink(path := os.path.join(folder, name))]
        if links:
            below = os.path.relpath(links[0], package)
            places = [path for path in _followed(links[0]) if path.endswith(os.sep + below)]
            return {path[: -len(os.sep + below)] for path in places}
        if names:
            return set()
    return set()
