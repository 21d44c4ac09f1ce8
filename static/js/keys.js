"use strict";
// One key for what a visible control does too. Never while somebody types, and they can be
// switched off: a single letter may be a command of somebody's screen reader or voice control.
const SWITCH = "evidence-keys";
const isOn = () => localStorage.getItem(SWITCH) !== "off";
const isTyping = (element) => Boolean(element?.closest?.("input, textarea, select, [contenteditable]"));

function showKeys() {
  const dialog = document.getElementById("keys");
  if (!dialog || dialog.open) return Boolean(dialog);
  dialog.querySelector("#keys-on").checked = isOn();
  dialog.showModal();
  dialog.querySelector("button").focus();
  return true;
}

function goToField() {
  const field = document.querySelector("[data-key='/']");
  field?.focus();
  field?.select?.();
  return Boolean(field);
}

function step(by) {
  const items = [...document.querySelectorAll("[data-key-item]")];
  const at = items.indexOf(document.activeElement);
  const next = items[at < 0 ? (by > 0 ? 0 : -1) : at + by];
  next?.focus(); // which scrolls it into view
  return Boolean(next);
}

const KEYS = {
  "/": goToField,
  "j": () => step(1),
  "k": () => step(-1),
  "?": showKeys,
};

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
  if (!isOn() || isTyping(event.target) || document.querySelector("dialog[open]")) return;
  if (Object.hasOwn(KEYS, event.key) && KEYS[event.key]()) event.preventDefault();
});

document.addEventListener("click", (event) => {
  if (event.target.closest("[data-opens='keys']")) showKeys();
});

document.addEventListener("change", (event) => {
  if (event.target.id === "keys-on") localStorage.setItem(SWITCH, event.target.checked ? "on" : "off");
});
