"""What a spec says, as frozen values, and the two small languages in it: expressions and dimensions."""
