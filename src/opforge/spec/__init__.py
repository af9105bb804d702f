"""The spec as frozen values, with its two small languages: expressions and dimensions."""
