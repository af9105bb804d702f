"""The assertions of a project's tests. Each module has the checks of one subject.

A check fails by AssertionError and says what is wrong with which operator; session.begin has pytest rewrite them.
"""
