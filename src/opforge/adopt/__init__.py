"""Makes a spec from an existing operator project: its layout, its definitions as op_build reads them, its headers."""
