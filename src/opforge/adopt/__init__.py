"""From an operator project that there is to a spec: its layout, its definitions as op_build reads them, its headers."""
