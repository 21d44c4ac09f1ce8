#!/usr/bin/env python
"""Entry point for commands."""

import os
import sys

from django.core.management import execute_from_command_line

if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "evidencesite.settings")
    execute_from_command_line(sys.argv)
