"""Checks a draft and makes the ``Spec``, or reports all errors at once.

Warns about what is valid but probably a mistake: a division by zero, a name of a built-in op.
"""
