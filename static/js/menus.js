// Menus close as menus do: by a click elsewhere, and by Escape, which leads back to their button and closes nothing else.
(() => {
  "use strict";
  document.addEventListener("click", (event) => {
    for (const one of document.querySelectorAll(".menu[open]")) if (!one.contains(event.target)) one.open = false;
  });
  document.addEventListener("keydown", (event) => {
    const menu = event.key === "Escape" && event.target.closest(".menu[open]");
    if (!menu) return;
    event.stopImmediatePropagation();
    menu.open = false;
    menu.querySelector("summary").focus();
  });
})();
