// Runs before the first paint, so that a chosen theme does not flash; the button comes with the page.
(() => {
  "use strict";
  const names = ["auto", "light", "dark"];
  const root = document.documentElement;
  // Servers below paths of one name have this storage in common.
  const below = new URL(document.currentScript.src).pathname.split("/static/")[0];
  const key = below ? `theme ${below}` : "theme";
  const stored = () => { try { return localStorage.getItem(key); } catch { return null; } };
  const apply = (name) => {
    root.dataset.theme = names.includes(name) ? name : "auto";
    document.querySelectorAll("[data-theme-name]").forEach((el) => { el.textContent = root.dataset.theme; });
    document.dispatchEvent(new CustomEvent("theme-changed"));
  };
  apply(stored());
  document.addEventListener("DOMContentLoaded", () => apply(stored()));
  document.addEventListener("click", (event) => {
    if (!event.target.closest("[data-theme-toggle]")) return;
    const next = names[(names.indexOf(root.dataset.theme) + 1) % names.length];
    try { localStorage.setItem(key, next); } catch { /* a private window may refuse: the page still changes */ }
    apply(next);
  });
})();
