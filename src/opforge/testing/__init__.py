"""What a project needs while people develop it: programs that measure its operators, and what its tests assert.

The project's own Python environment runs this package. It imports the standard library, numpy, torch and pytest, and
nothing else of opforge; `opforge vendor testing` copies it into a project for machines without opforge.

A project states the versions of the interface that it works with, as ``TESTING`` in benchmarks/cases.py.
"""

# The second number counts additions, the first one counts changes that break a project's files.
INTERFACE = (1, 1)
