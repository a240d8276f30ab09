"use strict";

// The token has done its work: keep it out of the address bar and the history.
window.addEventListener("DOMContentLoaded", () => {
  const { path, end } = document.body.dataset;
  history.replaceState(null, "", `${path}/`);

  const again = document.getElementById("again");
  again.addEventListener("click", () => window.location.reload());

  // textual.js gives the body this class when the connection is gone, and no reason.
  const observer = new MutationObserver(async () => {
    if (!document.body.classList.contains("-closed")) return;
    observer.disconnect();
    const reason = document.getElementById("reason");
    try {
      const answer = await fetch(end);
      reason.textContent = answer.ok ? await answer.text() : "The address is not valid any more.";
    } catch {
      reason.textContent = "The server has ended. Start it again: poketui serve";
    }
    again.focus();
  });
  observer.observe(document.body, { attributes: true, attributeFilter: ["class"] });
});

// After textual.js, which opens the terminal when all is loaded but leaves the keyboard elsewhere.
window.addEventListener("load", () => {
  document.querySelector(".xterm-helper-textarea")?.focus();
});
