"""Uploading: a form, and a page that says what became of each file."""

from typing import Any, Final

from django.core.exceptions import RequestDataTooBig, TooManyFieldsSent, TooManyFilesSent
from django.core.files.uploadedfile import UploadedFile
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.csrf import csrf_exempt, csrf_protect
from django.views.decorators.http import require_http_methods

from rag.actions.importing import Reader, Request
from rag.actions.uploading import SentFile, upload
from rag.adapters.files import MAX_BYTES
from rag.core.roles import Permission
from rag.web.access import access_of, permitted, person_of
from rag.web.forms.upload import MAX_FILES, MAX_REQUEST, UploadForm
from rag.web.parts import site_parts
from rag.web.presenters.upload import upload_report

TOO_LARGE: Final = (
    f"That was too much at once: at most {MAX_FILES} files of 2 MB each. Nothing was imported."
)


# The token stands in the body. It is checked by ``_sent``, after the size: else a body of any
# length would be read, and kept in a temporary file, before anybody looks at the size.
@csrf_exempt
@permitted(Permission.UPLOAD)
@require_http_methods(["GET", "HEAD", "POST"])
def upload_page(request: HttpRequest) -> HttpResponse:
    """The form; sent, the report on each file."""
    if request.method != "POST":
        return _form_page(request, _form(request))
    if int(request.META.get("CONTENT_LENGTH") or 0) > MAX_REQUEST:
        return _too_large(request)
    try:
        return _sent(request)
    except (RequestDataTooBig, TooManyFilesSent, TooManyFieldsSent):
        return _too_large(request)


@csrf_protect
def _sent(request: HttpRequest) -> HttpResponse:
    form = _form(request, data=request.POST, files=request.FILES)
    if not form.is_valid():
        return _form_page(request, form, 422)
    person = person_of(request)
    reader = Reader(access_of(request), person.has_perm(Permission.REVIEW))
    wish = Request(
        form.cleaned_data["scope"],
        person.username,
        prefix=form.cleaned_data["folder"],
        overrides=form.overrides(),
        reader=reader,
    )
    files = [_read(file) for file in form.cleaned_data["file"]]
    report = upload_report(upload(files, wish, site_parts().chunker), reader.reviews)
    context = {"report": report, "reviews": reader.reviews, "scope": wish.scope}
    context["operates"] = person.has_perm(Permission.OPERATE)
    return render(request, "uploaded.html", context)


def _read(file: "UploadedFile[Any]") -> SentFile:
    """The name and as much of the file as tells whether it is too large."""
    return SentFile(file.name or "", file.read(MAX_BYTES + 1))


def _form(request: HttpRequest, **given: Any) -> UploadForm:
    return UploadForm(scopes=sorted(access_of(request).scopes), **given)


def _form_page(
    request: HttpRequest, form: UploadForm, status: int = 200, failure: str = ""
) -> HttpResponse:
    context = {"form": form, "failure": failure, "scopes": access_of(request).scopes}
    return render(request, "upload.html", context, status=status)


def _too_large(request: HttpRequest) -> HttpResponse:
    return _form_page(request, _form(request), 413, TOO_LARGE)
