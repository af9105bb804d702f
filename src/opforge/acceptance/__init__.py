"""Tries ops of the catalog on a machine, from build to bench, and packs one report: ``opforge acceptance``."""
