"""A class: what was handed in, who has how many points, and the pages and zips that go out.

Stands on course.sandbox and on course.trying, which know nothing of it.
"""
