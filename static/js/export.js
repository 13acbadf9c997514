// The menu of exports copies the text for a ticket.
(() => {
  "use strict";
  const said = document.getElementById("copied");
  if (!said) return;
  const menu = said.closest(".menu");
  const box = document.getElementById("ticket");
  document.addEventListener("open-export", () => {
    menu.open = true;
    menu.querySelector(".menu-list :is(button, a)").focus();
  });
  menu.addEventListener("toggle", () => {
    if (!menu.open) return;
    said.textContent = "";
    box.hidden = true;
  });

  // The clipboard of browsers is there on https and localhost only, and may be refused: then the text stands selected.
  const copy = async (text) => {
    try {
      await navigator.clipboard.writeText(text);
      said.textContent = "Copied.";
    } catch {
      box.value = text;
      box.hidden = false;
      box.focus();
      box.select();
      said.textContent = "Selected: press Ctrl+C.";
    }
  };

  menu.addEventListener("click", async (event) => {
    const button = event.target.closest("[data-copy-ticket]");
    if (!button) return;
    said.textContent = "Copying…";
    try {
      const url = new URL(button.dataset.copyTicket, location.href);
      url.searchParams.set("material", document.body.dataset.material);
      const answer = await fetch(url, { headers: { Accept: "text/plain, */*" } });
      if (!answer.ok) throw new Error(String(answer.status));
      await copy(await answer.text());
    } catch { said.textContent = "It could not be read: try again."; }
  });
})();
