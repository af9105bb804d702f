"""The assertions of a project's tests. Each module has the checks of one subject.

A failing check raises AssertionError and names the operator and the problem. session.begin makes pytest rewrite the
assertions.
"""
