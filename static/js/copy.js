"use strict";
// Without this file each citation stands in a field, to be marked and copied by hand.
const announcement = document.querySelector("[data-copied]");

async function copy(button) {
  const field = document.getElementById(button.dataset.copy);
  try {
    await navigator.clipboard.writeText(field.value);
    say(button, "Copied");
  } catch {
    // Refused, or the page does not come over HTTPS: show the words, marked.
    const forms = field.closest("details");
    forms.hidden = false;
    forms.open = true;
    field.select();
    say(button, "Marked: press Ctrl+C");
  }
}

function say(button, words) {
  button.label ??= [...button.childNodes];
  button.style.minWidth = `${button.offsetWidth}px`; // what stands beside it does not jump
  button.replaceChildren(words);
  announcement.textContent = "";
  setTimeout(() => (announcement.textContent = words), 50);
  clearTimeout(button.timer);
  button.timer = setTimeout(() => button.replaceChildren(...button.label), 2500);
}

// An answer may arrive after the page: then its buttons are shown once more.
function showButtons() {
  for (const button of document.querySelectorAll("[data-copy], [data-print]")) button.hidden = false;
  for (const forms of document.querySelectorAll("details.forms")) forms.hidden = true;
}
document.addEventListener("click", (event) => {
  const button = event.target.closest("[data-copy], [data-print]");
  if (button?.dataset.copy) copy(button);
  else if (button) print();
});
document.addEventListener("htmx:afterSwap", showButtons);
showButtons();
