"use strict";
// A source: brings the first cited passage into view, and shows in the contents where one reads.
const mark = location.hash ? null : document.querySelector("mark.cited");
if (mark) mark.scrollIntoView({ block: "center" });

const links = new Map();
for (const link of document.querySelectorAll(".contents a")) {
  const heading = document.getElementById(link.hash.slice(1));
  if (heading) links.set(heading, link);
}
const entries = [...links.values()];
let current = -1;

// The last heading above the upper third of the window is where one reads.
function follow() {
  let at = -1;
  for (const heading of links.keys()) {
    if (heading.getBoundingClientRect().top > innerHeight / 3) break;
    at += 1;
  }
  if (at === current) return;
  entries[current]?.removeAttribute("aria-current");
  entries[at]?.setAttribute("aria-current", "location");
  current = at;
  // The list of the contents moves along, the page does not.
  const list = entries[0].closest("ol");
  list.scrollTop = entries[Math.max(0, at - 4)].offsetTop;
}

if (entries.length) {
  let waiting = 0;
  addEventListener("scroll", () => {
    cancelAnimationFrame(waiting);
    waiting = requestAnimationFrame(follow);
  }, { passive: true });
  follow();
}
