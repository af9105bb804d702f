"""File sets onto a disk that people edit."""
