// What a row, a finding or a section is called, for pins and threads, and which of them is meant by a key.
(() => {
  "use strict";
  let under = null;
  let byKeys = false; // the place was chosen by key since the pointer moved last: it moves none by lying there
  const LEAD = new Set(["ArrowDown", "ArrowUp", "Tab", "Enter", "j", "k", "n", "N", "w", "b", "f"]);
  document.addEventListener("keydown", (event) => { if (LEAD.has(event.key)) byKeys = true; });
  document.addEventListener("pointermove", (event) => { if (event.movementX || event.movementY) byKeys = false; });
  document.addEventListener("pointerover", (event) => { if (event.pointerType === "mouse") under = event.target; });

  // Nothing inside the tray of pins or a panel.
  const of = (element) => {
    if (!element || element.closest(".pins, .panel")) return "";
    const finding = element.closest("[data-finding]");
    if (finding) return finding.dataset.finding;
    const named = element.closest("[data-anchor]"); // a row told of above the tables
    if (named) return named.dataset.anchor;
    const row = element.closest("tr[id^='r-']");
    const line = element.closest("[data-line]"); // of an incident's timeline
    if (line) return line.id;
    const section = element.closest(".sec, #time, #commit");
    if (!section) return "";
    return row ? `${section.id}/${row.id.slice(2)}` : section.id;
  };
  const marked = () => of(document.querySelector("tr.aim, [data-line].aim, [data-line]:target"));
  const chosen = () => {
    const focused = document.activeElement !== document.body ? of(document.activeElement) : "";
    const picked = of(document.querySelector("tr.picked"));
    return (byKeys && (focused || picked)) || of(under) || focused || picked || marked();
  };
  window.awr = window.awr || {};
  window.awr.anchors = { of, marked, chosen };
})();
