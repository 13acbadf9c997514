// The address of a row in this view: `#` beside its name, or `y`, copies it.
(() => {
  "use strict";
  const $ = (selector, from = document) => from.querySelector(selector);
  const said = $("#copied-link");
  if (!said) return;
  const box = $("input", said);
  let row = null; // the one the pointer was over last
  let hiding = 0;

  document.addEventListener("pointerover", (event) => {
    const found = event.target.closest(".sec tbody tr");
    if (found) row = found;
  });

  const rowIdOf = (tr) => {
    const named = tr.id ? tr : tr.previousElementSibling; // of a histogram's two lines the first has the id
    return named && named.id.startsWith("r-") ? named.id.slice(2) : "";
  };

  // A line of the lists above the tables: the row that its figures are from, or the finding itself.
  const ofLine = (line) => {
    const row = $('.ev a[href^="#"]', line);
    const url = new URL(window.awr.place());
    url.hash = line.dataset.finding || (row ? row.hash : "");
    return url;
  };

  const addressOf = (tr) => {
    if (!tr || !tr.isConnected) return window.awr.place();
    if (tr.matches("li")) return ofLine(tr);
    return window.awr.addressOf(tr.closest(".sec"), rowIdOf(tr));
  };

  // The clipboard of browsers is there on https and localhost only: elsewhere the address stands selected.
  const copy = async (tr) => {
    const address = addressOf(tr).href;
    const [what, where] = tr && tr.isConnected ? ["row", $("th, b", tr)] : ["view", null];
    const name = where ? `: ${(where.matches("b") ? where : where.firstChild).textContent.trim().slice(0, 60)}` : "";
    box.value = address;
    clearTimeout(hiding);
    try {
      if (!navigator.clipboard) throw new Error("not here");
      await navigator.clipboard.writeText(address);
      said.firstElementChild.textContent = `Link to this ${what} copied${name}`;
      box.hidden = true;
      said.hidden = false;
      hiding = setTimeout(() => { said.hidden = true; }, 4000);
    } catch {
      said.firstElementChild.textContent = `Link to this ${what}${name} — press Ctrl+C`;
      box.hidden = false;
      said.hidden = false;
      box.focus();
      box.select();
    }
  };

  document.addEventListener("click", (event) => {
    const link = event.target.closest(".pl");
    if (link) copy(link.closest("tr"));
    else if (!said.hidden && !event.target.closest("#copied-link")) said.hidden = true;
  });
  said.addEventListener("keydown", (event) => { if (event.key === "Escape") said.hidden = true; });
  document.addEventListener("copy-link", () => {
    const focused = document.activeElement.closest(".sec tbody tr, .movers > li, .find > li");
    copy(focused || (row && row.matches(":hover") ? row : null) || $("tr.aim") || null);
  });
})();
