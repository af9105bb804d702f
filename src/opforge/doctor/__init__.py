"""What is looked at before people wonder: whether this machine can build, and whether a team's template is right."""
