"""What is uploaded, into which scope, and what goes before the files' own front matter."""

from collections.abc import Sequence
from datetime import date
from typing import Any, Final

from django import forms
from django.core.files.uploadedfile import UploadedFile

from rag.adapters.files import MAX_BYTES
from rag.core.errors import InvalidWindow
from rag.core.metadata import Overrides
from rag.core.sources import check_window
from rag.web.forms.sentences import at_most

MAX_FILES: Final = 20
# Room for as many files as may come, for the other fields, and for one file that is too large:
# that one is refused by itself, and the others are imported.
MAX_REQUEST: Final = (MAX_FILES + 1) * MAX_BYTES


class FilesInput(forms.FileInput):
    """The browser's own choice of files, several at once."""

    allow_multiple_selected = True


class FilesField(forms.Field):
    """Several files. Whether one of them is fit is for the import to say, file by file."""

    widget = FilesInput(attrs={"accept": ".md,.txt"})

    def validate(self, value: "Sequence[UploadedFile[Any]]") -> None:
        if not value:
            raise forms.ValidationError("Choose at least one file.")
        if len(value) > MAX_FILES:
            raise forms.ValidationError(f"Choose at most {MAX_FILES} files at once.")


class DayField(forms.DateField):
    """A day by the browser's calendar, or typed."""

    widget = forms.DateInput(format="%Y-%m-%d", attrs={"type": "date"})

    def __init__(self, label: str, help_text: str) -> None:
        wrong = {"invalid": "Give a day such as 2026-11-30."}
        super().__init__(
            label=label,
            help_text=help_text,
            required=False,
            input_formats=["%Y-%m-%d"],
            error_messages=wrong,
        )


class UploadForm(forms.Form):
    """The files and their scope; the rest may stay empty."""

    file = FilesField(
        label="Files",
        help_text=f"Markdown or plain text, at most {MAX_FILES} at once, 2 MB each.",
    )
    scope = forms.ChoiceField(
        label="Scope",
        help_text="Who may read it follows from its scope, and a source never changes its scope.",
        error_messages={
            "required": "Choose the scope.",
            "invalid_choice": "Choose a scope from the list.",
        },
    )
    folder = forms.CharField(
        label="Folder",
        required=False,
        max_length=200,
        error_messages=at_most("A folder", 200),
        help_text="With <code>policies</code>, leave.md becomes <code>policies/leave</code>; "
        "empty, it becomes <code>leave</code>.",
    )
    version = forms.CharField(
        label="Version",
        required=False,
        max_length=200,
        error_messages=at_most("A version", 200),
        help_text="Empty: the first digits of the text's SHA-256.",
    )
    product = forms.CharField(
        label="Product",
        required=False,
        max_length=100,
        error_messages=at_most("A product code", 100),
        help_text="The code of the product that it is about.",
    )
    valid_from = DayField("In force from", "Empty: the day of its approval.")
    valid_until = DayField("In force until", "Empty: until a later version replaces it.")

    def __init__(self, *, scopes: Sequence[str], data: Any = None, files: Any = None) -> None:
        super().__init__(data, files, label_suffix="")
        empty = [] if len(scopes) == 1 else [("", "Choose…")]
        # The fields of a form are all typed as plain ones; this is the choice declared above.
        self.fields["scope"].choices = [*empty, *((name, name) for name in scopes)]  # type: ignore[attr-defined]

    def clean_folder(self) -> str:
        folder: str = self.cleaned_data["folder"]
        return folder.strip("/ ")

    def clean_valid_until(self) -> date | None:
        until: date | None = self.cleaned_data["valid_until"]
        try:
            check_window(self.cleaned_data.get("valid_from"), until)
        except InvalidWindow:
            raise forms.ValidationError("The last day lies before the first one.") from None
        return until

    @property
    def has_more(self) -> bool:
        """Whether one of the optional fields is filled in or wrong, and so has to be seen."""
        return any(self[name].value() or self[name].errors for name in OPTIONAL)

    @property
    def more(self) -> list[forms.BoundField]:
        """The optional fields."""
        return [self[name] for name in OPTIONAL]

    def overrides(self) -> Overrides:
        """What a valid form says of all its files."""
        names = ("version", "product", "valid_from", "valid_until")
        return Overrides(**{name: self.cleaned_data[name] for name in names})


OPTIONAL: Final = ("folder", "version", "valid_from", "valid_until", "product")
