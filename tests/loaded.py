"""The course as the build reads it, once for all tests of a process: to be read only."""

from course.build.make import load
from course.build.project import Project

COURSE = load(Project())
