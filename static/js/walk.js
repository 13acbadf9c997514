// Lists by keys: `w` and `b` lead to what rose and fell, `f` to findings, ↓ ↑ or j k from row to row; on the first page
// `/` finds.
(() => {
  "use strict";
  const ROW = "[data-walk] > li, [data-walk] > tr:not(.table-head), [data-walk] ~ .more > summary";
  const $ = (selector, from = document) => from.querySelector(selector);
  const box = $("[role=search] input[type=search]");

  const rows = () => [...document.querySelectorAll(ROW)].filter((row) => row.checkVisibility());
  // A row is stood on by its name; one that names nothing with an address takes the focus itself.
  const stand = (row, block = "nearest") => {
    const name = row.matches("summary") ? row : $(":scope > .name a, :scope > details > summary, b a, th a, td a, :scope > div > a, .ev a", row) || row;
    if (name === row && !row.matches("summary")) row.tabIndex = -1;
    name.focus({ preventScroll: true });
    row.scrollIntoView({ block });
  };
  const first = (from = document) => rows().find((row) => from.contains(row));

  const step = (row, by) => {
    const all = rows();
    const next = all[all.indexOf(row) + by];
    if (next) stand(next);
    else if (by < 0 && box) box.focus();
  };

  const goTo = (way) => {
    // Again: the next list, of statements behind that of events. What is folded comes where nothing else is.
    const all = [...document.querySelectorAll("[data-walk]")].map((list) => $(`:scope > [data-way="${way}"]`, list)).filter(Boolean);
    const open = all.filter((one) => !one.closest("details.more"));
    const starts = open.length ? open : all;
    const at = starts.findIndex((one) => one.parentElement.contains(document.activeElement));
    const row = starts[(at + 1) % starts.length] || (way === "up" && first());
    if (!row) return false;
    for (let folded = row.closest("details"); folded; folded = folded.parentElement.closest("details")) folded.open = true;
    stand(row, "center"); // with what stands around it: at an edge it would be alone
    return true;
  };

  // A finding opens with its first evidence in focus; the one that was opened so before closes.
  let opened = null;
  const goToFinding = () => {
    const all = [...document.querySelectorAll(".find > li")].filter((one) => one.checkVisibility());
    const at = all.indexOf(document.activeElement.closest(".find > li"));
    const next = all[(at + 1) % all.length];
    if (!next) return false;
    const details = $(":scope > details", next);
    if (opened && opened !== details) opened.open = false;
    if (!details.open) { details.open = true; opened = details; }
    ($(".ev a[href^='#']", details) || $("summary", details)).focus({ preventScroll: true });
    next.scrollIntoView({ block: "center" });
    return true;
  };

  // Back from where a link of the page has led: the reader stands on that link again.
  let left = null;
  document.addEventListener("click", (event) => {
    const link = event.target.closest("main a[href^='#']");
    if (link && link.hash !== location.hash) left = { link, hash: location.hash };
  });
  // No `hashchange`: the section that the link opened stands in the address, and then browsers fire none.
  addEventListener("popstate", () => {
    if (!left || location.hash !== left.hash) return;
    left.link.focus({ preventScroll: true });
    left = null;
  });

  const STEPS = { ArrowDown: 1, ArrowUp: -1, j: 1, k: -1 };
  const inBox = (event) => {
    const row = { ArrowDown: first() }[event.key];
    if (row) { event.preventDefault(); stand(row); }
  };
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || $("dialog[open]")) return;
    if (box && event.target === box) { inBox(event); return; }
    if (event.target.closest("input, select, textarea, .menu[open], .panel")) return;
    if (box && event.key === "/") { event.preventDefault(); box.focus(); box.select(); return; }
    const row = event.target.closest(ROW);
    const go = { w: () => goTo("up"), b: () => goTo("down"), f: goToFinding }[event.key];
    const taken = row && STEPS[event.key] ? (step(row, STEPS[event.key]), true) : go && go();
    if (!taken) return;
    event.preventDefault();
    event.stopPropagation(); // j and k elsewhere step through sections
  }, true);

  // What is looked for is in the address, so that Back finds it again; Enter in the box goes on to the first of what was found.
  document.addEventListener("htmx:afterSettle", (event) => {
    if (!box || event.target.id !== "work") return;
    const shown = new URL(location.href);
    for (const [name, value] of new FormData(box.form)) if (value) shown.searchParams.set(name, value); else shown.searchParams.delete(name);
    history.replaceState(null, "", shown);
    const cause = (event.detail.requestConfig || {}).triggeringEvent;
    if (cause && cause.type === "submit" && first()) stand(first());
  });
})();
