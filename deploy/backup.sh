#!/bin/sh
# Back up a running site: deploy/backup.sh FOLDER [--settings FILE] [--keep N]
# See backup.py; PYTHON names another Python than that of the project.
set -eu
folder=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
exec "${PYTHON:-$folder/../.venv/bin/python}" "$folder/backup.py" "$@"
