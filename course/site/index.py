"""The site's front page: where to type an error, all doors, all lessons."""

from __future__ import annotations

import re

from course.site.door_page import plain

ERROR = re.compile(r"\w+(Error|Warning): ")
FIRST = "trying-to-backward-a-second-time", "modified-by-an-inplace-operation"
FRONT = """# minigrad: which is freed, which is not?

You call `backward()`. Some memory goes, some stays, and the second call ends in an error. Here are
the errors and questions, each with a short answer, a program to step through, and what each way out
costs on real PyTorch; and the course that explains why, to read and to play with in the page.

```{{raw}} html
<form class="mg-find" action="search.html"><input name="q" type="search"
placeholder="Paste an error, or ask" aria-label="Paste an error, or ask"></form>
```

## Errors and warnings

{errors}

## Questions

[The five threads, question by question](questions.md): what was asked in the forum, and where it is
answered. All questions:

{questions}

## The course

{lessons}

## Get the course

These pages are a copy to read: no cell runs in them. With the course's folder on your machine and
Python 3.11 or newer, `python3 run.py lab` opens it in JupyterLab. There you run the lessons, change
them and solve the exercises. Who gave you this address can give you the folder.

```{{toctree}}
:hidden:
:caption: The course

{lesson_tree}
```

```{{toctree}}
:hidden:
:caption: Questions

The threads, question by question <questions>
{question_tree}
```

```{{toctree}}
:hidden:
:caption: Errors and warnings

{error_tree}
```

```{{toctree}}
:hidden:
:caption: Exercises

{exercise_tree}
```

```{{toctree}}
:hidden:
:caption: Solutions

{solution_tree}
```
"""


def pages(doors, titles) -> dict:
    """{name: Markdown}: the front page."""
    doors = sorted(doors, key=_by_asked)
    errors = [door for door in doors if ERROR.match(door.title)]
    questions = [door for door in doors if not ERROR.match(door.title)]
    text = FRONT.format(
        errors=_list(errors),
        questions=_list(questions),
        error_tree=_doors(errors),
        question_tree=_doors(questions),
        lessons="\n".join(
            f"- [{title}](lessons/{name}.ipynb)" for name, title in titles["lessons"].items()
        ),
        lesson_tree=_tree("lessons", titles),
        exercise_tree=_tree("exercises", titles),
        solution_tree=_tree("solutions", titles),
    )
    return {"index": text}


def _by_asked(door):
    """First what most people look for, then what the threads ask most often about."""
    place = FIRST.index(door.name) if door.name in FIRST else len(FIRST)
    return place, -len(door.asked), plain(door.title).lower()


def _list(doors) -> str:
    return "\n".join(f"- [{plain(door.title)}](doors/{door.name}.md)" for door in doors)


def _doors(doors) -> str:
    return "\n".join(f"{_short(door.title)} <doors/{door.name}>" for door in doors)


def _tree(folder, titles) -> str:
    return "\n".join(f"{folder}/{name}" for name in titles.get(folder, {}))


def _short(title) -> str:
    """What stands in the side bar: a few words of a long message, and no mark of Markdown."""
    title = re.sub(r"[`<>]", "", ERROR.sub("", title))
    return title if len(title) < 60 else title[:58].rsplit(" ", 1)[0] + " …"
