"""From built packages to an environment in which they are found, and back: receipts, activation, names taken there."""
