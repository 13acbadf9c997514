// What a name means: its side panel, kept in the address as ?panel=kind/key. Without scripts the same links open pages.
(() => {
  "use strict";
  const panel = document.getElementById("panel");
  const base = panel ? panel.dataset.entities : null;
  const $ = (selector, from = document) => from.querySelector(selector);
  let opener = null; // what had the focus before the panel opened
  let shown = "";

  const wanted = () => new URL(location.href).searchParams.get("panel") || "";
  const address = (path) => {
    const url = new URL(location.href);
    if (path) url.searchParams.set("panel", path); else url.searchParams.delete("panel");
    return url;
  };
  // The path below entities/, as the link has it: still encoded.
  const pathOf = (link) => {
    const url = new URL(link.href, location.href);
    return base && url.pathname.startsWith(base) ? url.pathname.slice(base.length) : "";
  };

  const say = (text) => {
    const note = document.createElement("p");
    note.className = "wait";
    note.setAttribute("role", "alert");
    note.textContent = text;
    const close = document.createElement("button");
    close.type = "button";
    close.textContent = "Close";
    close.dataset.closePanel = "";
    panel.replaceChildren(note, close);
    close.focus();
  };

  const load = (path) => {
    shown = path;
    document.dispatchEvent(new CustomEvent("panel-opens", { detail: panel }));
    panel.hidden = false;
    panel.classList.add("busy");
    panel.setAttribute("aria-busy", "true");
    const asked = panel.dataset.asked ? `?${panel.dataset.asked}` : ""; // the baseline that the page is held against
    htmx.ajax("GET", base + path + asked, { source: panel, target: panel, swap: "innerHTML" });
  };

  const hide = () => {
    if (!shown) return;
    shown = "";
    panel.hidden = true;
    panel.replaceChildren();
    lit(null);
    const back = opener && opener.isConnected ? opener : $("#main");
    opener = null;
    back.focus({ preventScroll: true });
  };

  const lit = (name) => { window.awr.lit = name; window.awr.light(); };

  const show = (path) => { if (path === shown) return; if (path) load(path); else hide(); };

  const open = (path, from) => {
    if (!shown) opener = from;
    history.pushState(null, "", address(path));
    show(path);
  };
  const close = () => { history.pushState(null, "", address("")); hide(); };

  const heading = () => $("#entity-h", panel);
  if (panel) {
    document.addEventListener("htmx:afterSettle", (event) => {
      if (event.target !== panel || !shown) return;
      panel.classList.remove("busy");
      panel.removeAttribute("aria-busy");
      panel.scrollTop = 0;
      const title = heading();
      title.focus({ preventScroll: true });
      lit(title.lastChild.textContent.trim());
      copies(panel);
    });
    for (const name of ["htmx:responseError", "htmx:sendError", "htmx:timeout"]) {
      document.addEventListener(name, (event) => {
        if (event.target !== panel) return;
        const status = event.detail.xhr ? event.detail.xhr.status : 0;
        panel.classList.remove("busy");
        panel.removeAttribute("aria-busy");
        say(status === 404 ? "Neither report names it any more." : status ? `It could not be loaded (the server answered ${status}).` : "It could not be loaded: the server does not answer.");
      });
    }
    addEventListener("popstate", () => show(wanted()));
    document.addEventListener("open-entity", (event) => { const path = pathOf(event.detail); if (path) open(path, $("#main")); });
    document.addEventListener("view-changed", () => { if (shown) load(shown); });
    document.addEventListener("panel-opens", (event) => { if (event.detail !== panel && shown) { history.replaceState(null, "", address("")); hide(); } });

    document.addEventListener("click", (event) => {
      if (event.target.closest("[data-close-panel]")) { close(); return; }
      const link = event.target.closest("a.to");
      if (link && !event.ctrlKey && !event.metaKey && !event.shiftKey && pathOf(link)) {
        event.preventDefault();
        open(pathOf(link), link);
        return;
      }
      // On a narrow window the panel lies over the rows that its links lead to.
      if (event.target.closest('#panel a[href^="#"]') && innerWidth <= 960) hide();
      const row = event.target.closest(".sec .fig tbody tr");
      if (row && !event.target.closest("a, button")) pick(row);
    });

    document.addEventListener("keydown", (event) => {
      if (event.ctrlKey || event.metaKey || event.altKey || $("dialog[open]") || $(".menu[open]")) return;
      if (event.target.matches("input, select, textarea")) return;
      if (event.key === "Escape" && shown) { event.preventDefault(); close(); return; }
      const row = $("tr.picked") || $("tr.aim");
      if (!row) return;
      if (event.key === "Escape") { row.classList.remove("picked"); return; }
      if (event.key === "Enter" && !event.target.closest("a, button, summary")) {
        const link = $("th a.to", row);
        if (link && pathOf(link)) { event.preventDefault(); open(pathOf(link), event.target === document.body ? link : event.target); }
      }
      const step = { ArrowDown: "nextElementSibling", ArrowUp: "previousElementSibling" }[event.key];
      if (step && !event.target.closest("#panel") && row.classList.contains("picked")) {
        let next = row[step];
        while (next && !$("th", next)) next = next[step];
        if (next) { event.preventDefault(); pick(next); next.scrollIntoView({ block: "nearest" }); }
      }
    });
  }

  const pick = (row) => {
    for (const other of document.querySelectorAll("tr.picked")) other.classList.remove("picked");
    row.classList.add("picked");
  };

  // The clipboard of browsers is there on https and localhost only; elsewhere the text is selected.
  const copies = (from) => { for (const button of from.querySelectorAll("[data-copy-code]")) button.hidden = false; };
  document.addEventListener("click", async (event) => {
    const button = event.target.closest("[data-copy-code]");
    if (!button) return;
    const text = $("pre", button.closest("figure"));
    const status = $("[role=status]", button.parentElement);
    try { await navigator.clipboard.writeText(text.textContent.trim()); status.textContent = "copied"; }
    catch { getSelection().selectAllChildren(text); status.textContent = "press Ctrl+C"; }
  });
  copies(document);

  const start = () => show(wanted());
  if (!panel) return;
  if (document.readyState === "complete") start();
  else document.addEventListener("DOMContentLoaded", start);
})();
