"""Reads a file, or the options of a command line, into a draft; ``spec.check`` makes the ``Spec``.

A file is YAML in which every scalar keeps its place; options are words with carets into the command line. The JSON
schema for editors is made from the reader's tables.
"""
