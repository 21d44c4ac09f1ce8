"""Review in the browser: Django's admin over the use cases of ``actions``."""
