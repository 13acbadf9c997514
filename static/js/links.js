// The address of a row in this view: `#` beside its name, or `y`, copies it.
(() => {
  "use strict";
  const $ = (selector, from = document) => from.querySelector(selector);
  if (!$("#copied-link")) return;
  let row = null; // the one the pointer was over last

  document.addEventListener("pointerover", (event) => {
    const target = event.target.closest(".sec tbody tr");
    if (target) row = target;
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

  const copy = (tr) => {
    const [what, where] = tr && tr.isConnected ? ["row", $("th, b", tr)] : ["view", null];
    const name = where ? `: ${(where.matches("b") ? where : where.firstChild).textContent.trim().slice(0, 60)}` : "";
    window.awr.copyText(addressOf(tr).href, `Link to this ${what}`, name);
  };

  document.addEventListener("click", (event) => {
    const link = event.target.closest(".pl");
    if (link) copy(link.closest("tr"));
  });
  document.addEventListener("copy-link", () => {
    const focused = document.activeElement.closest(".sec tbody tr, .movers > li, .find > li");
    copy(focused || (row && row.matches(":hover") ? row : null) || $("tr.aim") || null);
  });
})();
