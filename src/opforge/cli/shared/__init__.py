"""What several commands use: the printer, options, and the work that they have in common. Imports no command."""
