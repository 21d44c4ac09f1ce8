"""The state of the index for operators, and the button that rebuilds it."""

from typing import Final

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_POST, require_safe

from rag.actions.starting import start_rebuild
from rag.core.errors import Busy
from rag.core.roles import Permission
from rag.web.access import permitted, person_of
from rag.web.fragments import is_fragment
from rag.web.parts import site_parts
from rag.web.presenters.runs import runs
from rag.web.presenters.status import StatusPage, status_page

BEGUN: Final = (
    "The rebuild has begun. What is served stays as it is until the new index is complete."
)


@permitted(Permission.OPERATE)
@require_safe
def status(request: HttpRequest) -> HttpResponse:
    """The whole page."""
    return render(request, "status.html", {"page": _page(request)})


@permitted(Permission.OPERATE)
@require_safe
def status_progress(request: HttpRequest) -> HttpResponse:
    """For htmx, while a rebuild runs: how far it is; once it has ended, the whole state anew."""
    if not is_fragment(request):
        return HttpResponseRedirect(reverse("status"))
    found = runs(timezone.now())
    if found.progress.live:
        return render(request, "_status_rebuild.html", {"progress": found.progress})
    outcome = f": {found.ended[0].chip.word}" if found.ended else ""
    return _state(request, f"The rebuild has ended{outcome}.")


@permitted(Permission.OPERATE)
@require_POST
def status_rebuild(request: HttpRequest) -> HttpResponse:
    """Start a rebuild, which goes on whatever becomes of this request or the web server."""
    said, tag = BEGUN, messages.SUCCESS
    try:
        start_rebuild(person_of(request).username)
    except Busy as error:
        said, tag = str(error), messages.WARNING
    if is_fragment(request):
        return _state(request, said)
    messages.add_message(request, tag, said)
    return HttpResponseRedirect(reverse("status"))


def _state(request: HttpRequest, said: str) -> HttpResponse:
    """All that the page shows below its title, and a sentence for those who do not see it."""
    context = {"page": _page(request), "said": said}
    response = render(request, "_status.html", context)
    response["HX-Retarget"], response["HX-Reswap"] = "#status", "outerHTML"
    return response


def _page(request: HttpRequest) -> StatusPage:
    reviews = person_of(request).has_perm(Permission.REVIEW)
    return status_page(site_parts(), timezone.now(), reviews)
