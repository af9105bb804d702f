"""Explains error codes and logs of builds, installations and runs: cause, check on this machine, fix."""
