"""What the operators of this package stand on: loading, checks, fallbacks, autocast. Not for users of the package."""
