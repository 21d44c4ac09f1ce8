from django.apps.registry import Apps
from django.db import migrations, models
from django.db.backends.base.schema import BaseDatabaseSchemaEditor


def facts_are_plain(apps: Apps, editor: BaseDatabaseSchemaEditor) -> None:
    """Product facts are no Markdown; what a text was imported as is not on record."""
    apps.get_model("rag", "Revision").objects.filter(kind="facts").update(format="txt")


class Migration(migrations.Migration):
    dependencies = [
        ("rag", "0003_roles_and_history"),
    ]

    operations = [
        migrations.AddField(
            model_name="revision",
            name="format",
            field=models.CharField(
                choices=[("md", "Markdown"), ("txt", "Plain")], default="md", max_length=10
            ),
        ),
        migrations.RunPython(facts_are_plain, migrations.RunPython.noop),
    ]
