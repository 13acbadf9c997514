"""What a reader does on a comparison's page, as scripts that return the milliseconds until it is painted."""

from __future__ import annotations

# Something is painted by the task that follows the next frame. Looked for whenever the page changes: to ask at every
# frame would take processor time of its own.
SEEN = """(act, there) => new Promise((done, failed) => {
  const began = performance.now();
  const watch = new MutationObserver(() => look());
  const late = setTimeout(() => { watch.disconnect(); failed(new Error("nothing came")); }, 20000);
  const look = () => {
    if (!there()) return;
    watch.disconnect();
    clearTimeout(late);
    requestAnimationFrame(() => setTimeout(() => done(performance.now() - began)));
  };
  watch.observe(document.body, { subtree: true, childList: true, attributes: true });
  act();
  look();
})"""
SECTION = f"""(id) => ({SEEN})(
  () => document.querySelector(`#${{id}} .fold`).click(),
  () => document.querySelector(`#${{id}} .body`).classList.contains("loaded"))"""
# Enter on a link is a click of it.
PANEL = f"""(href) => {{
  const link = [...document.querySelectorAll("a.to")].find((a) => a.href === href);
  const panel = document.getElementById("panel");
  link.focus({{ preventScroll: true }});
  return ({SEEN})(() => link.click(), () => panel.querySelector("#entity-h") && !panel.classList.contains("busy"));
}}"""
# What was found last stands until the answer takes its place.
KEY = f"""(text) => {{
  if (!document.getElementById("find").open) document.querySelector("[data-find]").click();
  const box = document.getElementById("find-text");
  const before = document.getElementById("find-list").appendChild(document.createElement("i"));
  return ({SEEN})(
    () => {{ box.value = text; box.dispatchEvent(new Event("input", {{ bubbles: true }})); }},
    () => !before.isConnected);
}}"""
_CHART = "document.querySelector('#wait_event_histogram .plot svg')"
HISTOGRAM = f"""() => ({SEEN})(
  () => document.querySelector('.rail a[href="#wait_event_histogram"]').click(),
  () => {_CHART})"""
EVENTS = "[...document.querySelectorAll('#wait_event_histogram select option')].slice(1).map((o) => o.value)"
EVENT = f"""(row) => {{
  const select = document.querySelector("#wait_event_histogram select");
  const before = {_CHART}.innerHTML;
  return ({SEEN})(
    () => {{ select.value = row; select.dispatchEvent(new Event("change", {{ bubbles: true }})); }},
    () => {_CHART} && {_CHART}.innerHTML !== before);
}}"""
FOLDED = "[...document.querySelectorAll('.sec.folded')].map((s) => s.id)"
THINGS = (
    "[...new Set([...document.querySelectorAll('a.to')].map((a) => a.href))].filter((h) => h.includes('/entities/'))"
)
# What moves by itself: not within half a second of a click or a key.
SHIFTS = """window.shifted = 0;
new PerformanceObserver((list) => {
  for (const one of list.getEntries()) if (!one.hadRecentInput) window.shifted += one.value;
}).observe({ type: "layout-shift", buffered: true });"""
LONG_TASKS = """window.longest = 0;
new PerformanceObserver((list) => {
  for (const one of list.getEntries()) window.longest = Math.max(window.longest, one.duration);
}).observe({ type: "longtask", buffered: true });"""
AT_END = "scrollY + innerHeight >= document.documentElement.scrollHeight - 2"
