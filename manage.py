#!/usr/bin/env python
"""Entry point for commands."""

import os
import sys

from django.core.exceptions import ImproperlyConfigured
from django.core.management import execute_from_command_line

import evidencesite  # noqa: F401  swaps in the site's SQLite before Django loads another

if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "evidencesite.settings")
    try:
        execute_from_command_line(sys.argv)
    except ImproperlyConfigured as error:
        sys.exit(str(error))
