"""``opforge tune``: looks for faster splits of an op's work at given sizes."""
