"""The pages. A view checks, calls one use case and renders; rules are in ``core``."""
