"""The queue of revisions and the page of each: approve, reject, withdraw."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Any, Final

from django.contrib import messages
from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import QuerySet
from django.forms import CharField, Form, Textarea
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect

from rag.actions import governing
from rag.admin.filters import ListFilter
from rag.admin.pages import GovernedAdmin, Page
from rag.admin.queue import row, summary
from rag.admin.review_page import ReviewPage, review_page
from rag.core.errors import NotAllowed
from rag.core.roles import Permission
from rag.core.sources import State
from rag.models import Revision
from rag.queries.reading import reading
from rag.queries.reviewing import review, reviewable
from rag.queries.sources import opened
from rag.web.access import access_of, person_of
from rag.web.forms.sentences import at_most

Act = Callable[[str], str]
MAX_REASON: Final = 2000
EVERY: Final = "all"


class ReasonForm(Form):
    """Why something is rejected or withdrawn."""

    reason = CharField(
        max_length=MAX_REASON,
        error_messages={"required": "Give a reason.", **at_most("A reason", MAX_REASON)},
        widget=Textarea(attrs={"rows": 3}),
        help_text="It stays on record, for whoever reviews here.",
    )


class StateFilter(ListFilter):
    """What waits, unless another state is asked for."""

    title = "State"
    parameter_name = "state"
    default = State.PENDING.value

    def values(self, request: HttpRequest) -> Iterable[str]:
        states = (State.PENDING, State.APPROVED, State.REJECTED, State.WITHDRAWN)
        return (*(state.value for state in states), EVERY)

    def narrowed(self, rows: QuerySet[Any], value: str) -> QuerySet[Any]:
        return rows if value == EVERY else rows.filter(state=value)


class ScopeFilter(ListFilter):
    """The scopes that the reviewer may read, and no other."""

    title = "Scope"
    parameter_name = "scope"

    def values(self, request: HttpRequest) -> Iterable[str]:
        return sorted(access_of(request).scopes)

    def narrowed(self, rows: QuerySet[Any], value: str) -> QuerySet[Any]:
        return rows.filter(source__scope__name=value)


class RevisionAdmin(GovernedAdmin):
    """Revisions of the reviewer's own scopes. Their address is the document id, not the key."""

    permission = Permission.REVIEW
    title = "Queue"
    search_fields = ("title", "source__source_id")
    list_filter = (StateFilter, ScopeFilter)

    def get_queryset(self, request: HttpRequest) -> QuerySet[Revision]:
        return reviewable(access_of(request))

    def context_of(self, request: HttpRequest, rows: Sequence[Revision]) -> dict[str, Any]:
        access = access_of(request)
        shown = [row(revision, access.as_of) for revision in rows]
        return {"rows": shown, "summary": summary(access, reviewable(access))}

    def pages(self) -> tuple[Page, ...]:
        below = "<str:document_id>"
        decisions = (
            ("approve", "approve", self.approve),
            ("request_approval", "request-approval", self.request_approval),
            ("reject", "reject", self.reject),
            ("withdraw", "withdraw", self.withdraw),
        )
        return (
            Page("change", f"{below}/change/", self.show, Permission.REVIEW, ("GET", "HEAD")),
            *(
                Page(name, f"{below}/{at}/", view, Permission.APPROVE, ("POST",), "../change/")
                for name, at, view in decisions
            ),
        )

    def show(self, request: HttpRequest, document_id: str) -> HttpResponse:
        """The revision as it would be quoted, and what may be done with it."""
        return self._shown(request, document_id)

    def approve(self, request: HttpRequest, document_id: str) -> HttpResponse:
        def act(actor: str) -> str:
            sha256 = request.POST.get("shown_sha256", "")
            done = governing.approve(document_id, actor=actor, shown_sha256=sha256)
            return f"{done} is approved."

        return self._done(request, document_id, act)

    def request_approval(self, request: HttpRequest, document_id: str) -> HttpResponse:
        def act(actor: str) -> str:
            sha256 = request.POST.get("shown_sha256", "")
            done = governing.request_approval(document_id, actor=actor, shown_sha256=sha256)
            return f"{done} will be approved by the next rebuild, in your name."

        return self._done(request, document_id, act)

    def reject(self, request: HttpRequest, document_id: str) -> HttpResponse:
        form = ReasonForm(request.POST, auto_id="reject_%s")

        def act(actor: str) -> str:
            reason = form.cleaned_data["reason"]
            return f"{governing.reject(document_id, actor=actor, reason=reason)} is rejected."

        return self._done(request, document_id, act, reject_form=form)

    def withdraw(self, request: HttpRequest, document_id: str) -> HttpResponse:
        form = ReasonForm(request.POST, auto_id="withdraw_%s")

        def act(actor: str) -> str:
            reason = form.cleaned_data["reason"]
            done = governing.withdraw(document_id, actor=actor, reason=reason)
            closed = governing.left_closed(done)
            stay = f" What it had replaced stays closed: {'; '.join(map(str, closed))}."
            return f"{done[0]} is withdrawn." + (stay if closed else "")

        return self._done(request, document_id, act, withdraw_form=form)

    def _done(
        self, request: HttpRequest, document_id: str, act: Act, **forms: ReasonForm
    ) -> HttpResponse:
        """Act and go back to the queue, or show the page again and why nothing was done.

        A reason that makes no sense comes back in its form, if there is one for it any more.
        After a refusal every form is empty: the revision has changed, and what was written was
        not about what it is now.
        """
        if not all(form.is_valid() for form in forms.values()):
            return self._shown(request, document_id, status=400, forms=forms)
        try:
            sentence = _decided(request, document_id, act)
        except NotAllowed as refusal:
            return self._shown(request, document_id, refusal=str(refusal), status=409)
        messages.success(request, sentence)
        return redirect("admin:rag_revision_changelist")

    def _shown(
        self,
        request: HttpRequest,
        document_id: str,
        *,
        refusal: str = "",
        status: int = 200,
        forms: Mapping[str, ReasonForm] | None = None,
    ) -> HttpResponse:
        with reading():
            access = access_of(request)
            page = review_page(review(document_id, access), access.as_of)
        overtaken = _overtaken(page, forms or {})
        if overtaken:
            refusal, status = overtaken, 409
        context = {
            "page": page,
            "title": page.title,
            "refusal": refusal,
            "approves": person_of(request).has_perm(Permission.APPROVE),
            "reject_form": ReasonForm(auto_id="reject_%s"),
            "withdraw_form": ReasonForm(auto_id="withdraw_%s"),
        }
        return self.page(request, "admin/revision_review.html", context | dict(forms or {}), status)


def _overtaken(page: ReviewPage, forms: Collection[str]) -> str:
    """What became of a revision whose form has no place on its page any more: somebody else has
    decided. Empty if each form has its place."""
    places = {"reject_form": page.pending, "withdraw_form": page.approved}
    return "" if all(places[name] for name in forms) else f"It is {page.state} by now."


@transaction.atomic
def _decided(request: HttpRequest, document_id: str, act: Act) -> str:
    """What ``act`` says, done by somebody who may do it and read the revision at that moment.

    A decision may wait for another writer, so role and grant are read again where nothing can
    change them any more; ``NotFound`` without the grant, like for a missing revision.
    """
    opened(document_id, access_of(request), reviews=True)
    actor = User.objects.get(pk=person_of(request).pk)  # the request's own remembers its roles
    if not actor.has_perms([Permission.REVIEW, Permission.APPROVE]):
        raise Http404
    return act(actor.username)
