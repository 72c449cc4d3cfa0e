"""Teamspace: a self-hosted workspace server for many teams, in one process with one data folder."""

__version__ = "0.1.0"
