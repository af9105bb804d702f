"""From a draft to a ``Spec``: every rule between the words, whichever way they came in, and all errors at once.

What is legal and probably a mistake (a division by zero, a name of CANN's own) is told here too.
"""
