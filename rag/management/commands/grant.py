"""manage.py grant"""

from argparse import ArgumentParser
from typing import Any

from rag.actions.people import grant, revoke
from rag.management.base import EvidenceCommand


class Command(EvidenceCommand):
    help = "Grant a scope to a user or a group, or take the grant back."

    def arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("scope")
        holder = parser.add_mutually_exclusive_group(required=True)
        holder.add_argument("--user")
        holder.add_argument("--group")
        parser.add_argument("--create-scope", action="store_true")
        parser.add_argument("--revoke", action="store_true", help="take the grant back")

    def run(self, options: dict[str, Any]) -> int:
        who = {"user": options["user"], "group": options["group"]}
        if options["revoke"]:
            changed = revoke(options["scope"], **who)
        else:
            changed = grant(options["scope"], create_scope=options["create_scope"], **who)
        if options["json"]:
            self.print_json({"scope": options["scope"], **who, "changed": changed})
        else:
            holder = f"user {who['user']}" if who["user"] else f"group {who['group']}"
            verb = "revoked from" if options["revoke"] else "granted to"
            state = "" if changed else " (it was so before)"
            self.stdout.write(f"{options['scope']} {verb} {holder}{state}")
        return 0
