"""From words to a draft: a file, or the options of a command line; ``spec.check`` makes a ``Spec`` of it.

A file is YAML whose every scalar knows its place; options are words with carets into the command line. The JSON schema
for editors is made from the reader's own tables.
"""
