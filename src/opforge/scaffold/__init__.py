"""Writes file sets to a disk that people edit."""
