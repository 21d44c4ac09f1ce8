"""The database itself refuses to change or delete an audit event."""

from django.db import migrations

FORBID = """
CREATE TRIGGER audit_no_{verb} BEFORE {verb} ON rag_auditevent
BEGIN SELECT RAISE(ABORT, 'audit events are append-only'); END
"""
ALLOW = "DROP TRIGGER audit_no_{verb}"


class Migration(migrations.Migration):
    dependencies = [("rag", "0001_initial")]
    operations = [
        migrations.RunSQL(FORBID.format(verb=verb), ALLOW.format(verb=verb))
        for verb in ("UPDATE", "DELETE")
    ]
