"""Tables of causes; ``all_causes`` has their order."""
