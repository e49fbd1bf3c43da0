"""Every question the threads asked, and every correction, is taught in a cell that exists."""

import tomllib

REQUIRED = ("id", "kind", "thread", "text", "lessons", "cell")
KINDS = ("question", "correction")


def gaps(project, lessons):
    """Sentences about coverage.toml; `lessons` is {number: {id: cell}} of all lessons built."""
    file = project.coverage.relative_to(project.root).as_posix()
    try:
        entries = tomllib.loads(project.coverage.read_text(encoding="utf-8")).get("question", [])
    except FileNotFoundError:
        return [f"{file} is missing; it maps each question of the threads to a cell"]
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        return [f"{file} cannot be read: {error}"]
    problems: list = []
    seen: set = set()
    for entry in entries:
        name = f"{file}: {entry.get('id', 'an entry without id')}"
        problems += [f"{name}: {why}" for why in _problems(entry, seen, lessons)]
    return problems


def _problems(entry, seen, lessons):
    missing = [key for key in REQUIRED if key not in entry]
    unknown = [key for key in entry if key not in REQUIRED]
    if missing or unknown:
        words = [f"no {', '.join(missing)}"] * bool(missing)
        yield "; ".join(words + [f"unknown {', '.join(unknown)}"] * bool(unknown))
        return
    if entry["id"] in seen:
        yield "the id is used twice"
    seen.add(entry["id"])
    if entry["kind"] not in KINDS:
        yield f"kind is '{entry['kind']}'; it is {' or '.join(KINDS)}"
    planned, cells = _listed(entry["lessons"]), _listed(entry["cell"])
    built = [number for number in planned if number in lessons]
    if not planned:
        yield "lessons is empty; name the lesson that teaches it"
        return
    if built and not cells:
        yield f"lesson {built[0]} is built, but no cell is named"
    known = {id for number in planned for id in lessons.get(number, ())}
    if built == planned:
        for cell in cells:
            if cell not in known:
                yield f"there is no cell '{cell}' in lesson {' or '.join(planned)}"


def _listed(value):
    return value.split() if isinstance(value, str) else list(value)
