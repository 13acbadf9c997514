// What a row, a finding or a section is called, for pins and threads, and which of them is meant by a key.
(() => {
  "use strict";
  let under = null;
  document.addEventListener("pointerover", (event) => { if (event.pointerType === "mouse") under = event.target; });

  // Nothing inside the tray of pins or a panel.
  const of = (element) => {
    if (!element || element.closest(".pins, .panel")) return "";
    const finding = element.closest("[data-finding]");
    if (finding) return finding.dataset.finding;
    const row = element.closest("tr[id^='r-']");
    const section = element.closest(".sec, #time, #commit");
    if (!section) return "";
    return row ? `${section.id}/${row.id.slice(2)}` : section.id;
  };
  const marked = () => of(document.querySelector("tr.aim"));
  const chosen = () => {
    const focused = document.activeElement !== document.body ? of(document.activeElement) : "";
    return focused || of(document.querySelector("tr.picked")) || of(under) || marked();
  };
  window.awr.anchors = { of, marked, chosen };
})();
