"""Mutation testing of the plain core: see README.md beside this file."""
