"""From a project to its run package and wheel: steps with keys, of which only those run whose key changed."""
