// The menu of exports copies the summary.
(() => {
  "use strict";
  const said = document.getElementById("copied");
  if (!said) return;
  const menu = said.closest(".menu");
  document.addEventListener("open-export", () => {
    menu.open = true;
    menu.querySelector(".menu-list :is(button, a)").focus();
  });
  menu.addEventListener("toggle", () => { if (menu.open) said.textContent = ""; });

  // The clipboard of browsers is there on https and localhost only; the old command works elsewhere.
  const copy = async (text) => {
    if (navigator.clipboard) return navigator.clipboard.writeText(text);
    const box = document.createElement("textarea");
    box.value = text;
    menu.append(box);
    box.select();
    const done = document.execCommand("copy");
    box.remove();
    if (!done) throw new Error("refused");
  };

  menu.addEventListener("click", async (event) => {
    const button = event.target.closest("[data-copy-summary]");
    if (!button) return;
    said.textContent = "Copying…";
    try {
      const answer = await fetch(button.dataset.copySummary, { headers: { Accept: "text/markdown, */*" } });
      if (!answer.ok) throw new Error(`the server answered ${answer.status}`);
      await copy(await answer.text());
      said.textContent = "Copied.";
    } catch { said.textContent = "It could not be copied; download the Markdown instead."; }
  });
})();
