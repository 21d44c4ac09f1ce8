"use strict";
// Without this file the search works by its button.
document.addEventListener("htmx:configRequest", (event) => {
  if (event.target.id !== "search" || event.detail.triggeringEvent?.type !== "input") return;
  // One letter finds everything; the address is replaced while typing, not piled up.
  if ([...document.getElementById("q").value.trim()].length === 1) event.preventDefault();
  event.detail.headers["X-Typing"] = "1";
});

function closePills(except) {
  for (const pill of document.querySelectorAll(".pill[open]")) {
    if (!pill.contains(except)) pill.open = false;
  }
}

document.addEventListener("click", (event) => closePills(event.target));
document.addEventListener("focusin", (event) => closePills(event.target));
document.addEventListener("keydown", (event) => {
  const pill = event.key === "Escape" && document.querySelector(".pill[open]");
  if (!pill) return;
  pill.open = false;
  pill.querySelector("summary").focus();
});
