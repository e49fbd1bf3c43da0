"""The lab starts on the welcome lesson or says why not; the proof runs every runner to its end."""

import json
import os
import shutil
import socket

import pytest

from course import cli, copies
from course.classroom import release
from course.classroom.handout import handouts
from course.proof import runner, tiers

CELL = {"cell_type": "code", "id": "a", "metadata": {}, "source": "1", "outputs": []}
NOTEBOOK = json.dumps({"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": [CELL]})
MARKED = {**CELL, "source": "def freed(): 0"}
MARKED["metadata"] = {"minigrad": {"exercise": "freed", "role": "answer"}}
EXERCISE = NOTEBOOK.replace(json.dumps(CELL), json.dumps(MARKED))


@pytest.fixture
def root(tmp_path, monkeypatch):
    """A project with one lesson, where becoming JupyterLab only raises `Started`."""
    monkeypatch.setattr(cli, "ROOT", tmp_path)
    monkeypatch.setattr(cli.os, "name", "posix")
    monkeypatch.setattr(cli.os, "execve", started)
    (tmp_path / "notebooks").mkdir()
    (tmp_path / "tests").mkdir()
    (tmp_path / cli.WELCOME).write_text(NOTEBOOK)
    return tmp_path


class Started(Exception):
    """What JupyterLab would have been given."""


def started(path, command, environment):
    raise Started(command, environment)


def lab_of(**options):
    with pytest.raises(Started) as start:
        cli.main("lab", **options)
    return start.value.args


# --- lab -----------------------------------------------------------------------------------


def test_the_lab_opens_the_copy_of_the_welcome_lesson(root):
    command, environment = lab_of()
    assert command[1:3] == ["-m", "jupyterlab"]
    assert "--LabApp.default_url=/lab/tree/my/notebooks/00_welcome.ipynb" in command
    assert f"--ServerApp.root_dir={root}" in command
    assert (root / "my" / cli.WELCOME).is_file()
    assert not [word for word in command if "port" in word], "Jupyter looks for a free one"


def test_the_first_time_the_side_bars_are_closed_and_later_left_as_they_were(root):
    ours = root / ".jupyter/lab/workspaces"
    ours.mkdir(parents=True)
    (ours / "one").write_text("closed")
    lab_of()
    assert (root / "my/.lab/one").read_text() == "closed"
    (root / "my/.lab/one").write_text("open")
    lab_of()
    assert (root / "my/.lab/one").read_text() == "open"


def test_the_lab_reads_our_settings_before_the_users(root, monkeypatch):
    monkeypatch.setenv("JUPYTER_CONFIG_PATH", "theirs")
    _, environment = lab_of()
    assert environment["JUPYTER_CONFIG_PATH"] == f"{root / '.jupyter'}{os.pathsep}theirs"
    assert environment["JUPYTERLAB_WORKSPACES_DIR"].startswith(str(root / "my"))


def test_a_lab_never_reveals_answers(root, monkeypatch):
    monkeypatch.setenv("MINIGRAD_REVEAL", "1")
    _, environment = lab_of()
    assert "MINIGRAD_REVEAL" not in environment and environment["PATH"] == os.environ["PATH"]


def test_a_chosen_port_is_used_and_no_other(root):
    command, _ = lab_of(port=0, browser=False)
    assert {"--ServerApp.port=0", "--ServerApp.port_retries=0", "--no-browser"} <= set(command)


def test_a_port_in_use_is_one_sentence(root, capsys):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        assert cli.main("lab", port=port) == 2
    said = capsys.readouterr().err
    assert said.startswith(f"Port {port} cannot be used") and said.count("\n") == 1
    assert not (root / "my").exists()


def test_missing_lessons_are_one_sentence(root, capsys):
    (root / cli.WELCOME).unlink()
    for command in "lab", "update":
        assert cli.main(command) == 2
        said = capsys.readouterr().err
        assert said.startswith("notebooks/00_welcome.ipynb is missing: ")
        assert said.count("\n") == 1


def test_a_lesson_that_is_no_notebook_is_one_sentence(root, capsys):
    (root / "notebooks/01_names.ipynb").write_text("<<<<<<< HEAD")
    assert cli.main("lab") == 2
    said = capsys.readouterr().err
    assert "01_names.ipynb is not a notebook" in said and said.count("\n") == 1


def test_a_folder_that_cannot_be_written_is_one_sentence(root, capsys):
    (root / "my").write_text("a file where the folder should be")
    assert cli.main("lab") == 2
    said = capsys.readouterr().err
    assert str(root / "my") in said and said.count("\n") == 1


def test_a_new_version_is_announced(root, capsys):
    lab_of()
    (root / cli.WELCOME).write_text(NOTEBOOK.replace('"1"', '"2"'))
    lab_of()
    assert "`python3 run.py update`" in capsys.readouterr().out


# --- update --------------------------------------------------------------------------------


def test_update_says_what_it_did(root, capsys):
    lab_of()
    capsys.readouterr()
    assert cli.main("update") == 0
    assert capsys.readouterr().out == "my/ is up to date.\n"
    (root / cli.WELCOME).write_text(NOTEBOOK.replace('"1"', '"2"'))
    assert cli.main("update") == 0
    assert "00_welcome.ipynb: new version" in capsys.readouterr().out


def test_update_before_the_first_lab_says_what_makes_the_copies(root, capsys):
    assert cli.main("update") == 0
    assert "`python3 run.py lab` makes it" in capsys.readouterr().out
    assert not (root / "my").exists()


def test_update_fails_on_a_broken_copy(root, capsys):
    lab_of()
    (root / "my" / cli.WELCOME).write_text("{")
    assert cli.main("update") == 1
    assert "left alone" in capsys.readouterr().out


# --- submit and release --------------------------------------------------------------------


@pytest.fixture
def exercise(root):
    (root / "exercises").mkdir()
    (root / "exercises/04_which.ipynb").write_text(EXERCISE)
    (root / "pyproject.toml").write_text('[project]\nversion = "1"\n')
    copies.make(root)
    handouts.cache_clear()
    yield root
    handouts.cache_clear()


def test_submit_makes_the_zip_and_names_the_unsolved(exercise, capsys):
    assert cli.main("submit", name="Ada") == 0
    assert capsys.readouterr().out.splitlines() == [
        "exercises not begun: lesson 04",
        "Made my/minigrad-Ada.zip from what you have saved: hand in this file.",
    ]
    assert (exercise / "my/minigrad-Ada.zip").is_file()


def test_progress_is_carried_by_the_command(exercise, tmp_path, capsys):
    file = tmp_path / "progress-of-mine.json"
    assert cli.main("progress", save=str(file)) == 0
    kept = json.loads(file.read_text())
    file.write_text(json.dumps(kept | {"record": {"exercises": {"freed": True}}}))
    shutil.rmtree(exercise / "my")  # the other machine has not been used yet
    assert cli.main("progress", load=str(file)) == 0
    capsys.readouterr()
    assert json.loads((exercise / "my/progress.json").read_text())["exercises"] == {"freed": True}
    file.write_text("{")
    assert cli.main("progress", load=str(file)) == 2
    said = capsys.readouterr().err
    assert "is no file that" in said and said.count("\n") == 1


def test_nothing_to_submit_or_to_release_is_one_sentence(root, capsys):
    calls = {"submit": ({}, "my/exercises/ holds no"), "release": ({"out": "x"}, root)}
    for command, (options, start) in calls.items():
        assert cli.main(command, **options) == 2
        said = capsys.readouterr().err
        assert said.startswith(str(start)) and said.count("\n") == 1


def test_a_release_says_where_it_is_and_what_it_lacks(root, monkeypatch, capsys):
    monkeypatch.setattr(release, "make", lambda at, out, private: ["run.py"])
    assert cli.main("release", out="class.zip") == 0
    made = "Made class.zip: 1 files, without solutions, lessons, doors, tests"
    assert made in capsys.readouterr().out


# --- test ----------------------------------------------------------------------------------


@pytest.mark.parametrize("tier", ["suite", "ci", "long"])
def test_each_tier_is_asked_for_by_its_name(root, tier, monkeypatch):
    monkeypatch.setattr(tiers, tier, lambda: tier)
    monkeypatch.setattr(runner, "prove", lambda steps: steps == tier)
    assert cli.main("test", **{name: True for name in ("ci", "long") if name == tier})


@pytest.mark.parametrize(
    ("error", "code", "sentence"),
    [
        (KeyboardInterrupt(), 130, "Stopped."),
        (OSError(28, "No space left on device"), 2, "The disk is full: make room"),
    ],
)
def test_trouble_is_one_sentence_and_an_exit_code(root, error, code, sentence, monkeypatch, capsys):
    def fail(*args):
        raise error

    monkeypatch.setattr(cli.copies, "make", fail)
    assert cli.main("lab") == code
    said = capsys.readouterr().err.strip()
    assert said.startswith(sentence) and "\n" not in said
