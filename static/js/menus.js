// Menus close as menus do: by a click elsewhere, and by Escape, which leads back to their button and closes nothing else.
// The list of a page's keys opens by `?`. The first page's `#turn` of before leads to the threads that wait.
(() => {
  "use strict";
  const turns = document.body.dataset.turnUrl;
  if (turns && location.hash === "#turn") location.replace(turns);
  document.addEventListener("click", (event) => {
    for (const one of document.querySelectorAll(".menu[open]")) if (!one.contains(event.target)) one.open = false;
  });
  document.addEventListener("keydown", (event) => {
    const menu = event.key === "Escape" && event.target.closest(".menu[open]");
    if (!menu) return;
    event.stopImmediatePropagation();
    menu.open = false;
    menu.querySelector("summary").focus({ preventScroll: true }); // a bar that sticks is at the top, wherever the page is
  });
  const openKeys = () => { const list = document.getElementById("keys"); if (list && !list.open) list.showModal(); };
  document.addEventListener("keydown", (event) => {
    if (event.key !== "?" || event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog[open]")) return;
    if (event.target.matches("input, select, textarea")) return;
    event.preventDefault();
    openKeys();
  });
  document.addEventListener("click", (event) => {
    if (event.target.closest("[data-keys]")) openKeys();
    else if (event.target.closest("#keys [data-close]")) document.getElementById("keys").close();
  });
})();
