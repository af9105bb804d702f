"""Programs that measure a project's operators, and the assertions of its tests, for use during development.

The project's own Python environment runs this package. It imports only the standard library, numpy, torch and pytest,
and nothing else of opforge. `opforge vendor testing` copies it into a project for machines without opforge.

A project states the versions of the interface that it works with, as ``TESTING`` in benchmarks/cases.py.
"""

# The first number increases with changes that break a project's files, the second one with additions.
INTERFACE = (1, 2)
