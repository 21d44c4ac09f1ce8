"""Markdown as safe HTML in which every shown character knows its place in the source."""
