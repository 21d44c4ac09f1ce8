"""The database itself refuses to change, delete or replace an audit event."""

from django.db import migrations

# INSERT OR REPLACE deletes without firing a DELETE trigger, so it is stopped before it inserts.
CONDITIONS = {
    "UPDATE": "1",
    "DELETE": "1",
    "INSERT": "EXISTS (SELECT 1 FROM rag_auditevent WHERE id = NEW.id OR sha256 = NEW.sha256)",
}
FORBID = """
CREATE TRIGGER audit_no_{name} BEFORE {verb} ON rag_auditevent WHEN {condition}
BEGIN SELECT RAISE(ABORT, 'audit events are append-only'); END
"""
NAMES = {"UPDATE": "update", "DELETE": "delete", "INSERT": "replace"}


class Migration(migrations.Migration):
    dependencies = [("rag", "0001_initial")]
    operations = [
        migrations.RunSQL(
            FORBID.format(name=NAMES[verb], verb=verb, condition=condition),
            f"DROP TRIGGER audit_no_{NAMES[verb]}",
        )
        for verb, condition in CONDITIONS.items()
    ]
