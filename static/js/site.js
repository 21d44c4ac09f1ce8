"use strict";
// A page that the browser kept whole (Back, Forward) may show what was withdrawn since.
addEventListener("pageshow", (event) => {
  if (event.persisted) location.reload();
});
