#!/bin/sh
# Restore a backup: EVIDENCE_HOME=EMPTY-FOLDER deploy/restore.sh BACKUP
# See restore.py; PYTHON names another Python than that of the project.
set -eu
folder=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
exec "${PYTHON:-$folder/../.venv/bin/python}" "$folder/restore.py" "$@"
