"use strict";
// A question is sent once: a second click while the first is under way does nothing.
function setBusy(form, busy) {
  for (const button of form.querySelectorAll("button")) button.disabled = busy;
  form.querySelector(".busy").textContent = busy ? form.dataset.busy : "";
}

const asking = "form[data-busy]";
document.addEventListener("submit", (event) => {
  if (event.target.matches(asking)) setBusy(event.target, true);
});
addEventListener("pageshow", () => document.querySelectorAll(asking).forEach((form) => setBusy(form, false)));

// A long question grows its field; Ctrl+Enter sends it, Enter alone begins a line.
document.getElementById("id_q")?.addEventListener("keydown", (event) => {
  if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
  event.preventDefault();
  event.target.form.requestSubmit();
});

// A link to a closed part of the page opens it.
function openTarget() {
  const part = document.getElementById(location.hash.slice(1));
  if (part?.localName === "details") part.open = true;
}
addEventListener("hashchange", openTarget);
openTarget();
