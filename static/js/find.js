// One box over everything: sections, findings and rows, also of sections that were not opened.
(() => {
  "use strict";
  const dialog = document.getElementById("find");
  if (!dialog) return;
  const box = dialog.querySelector("#find-text");
  const list = dialog.querySelector("#find-list");
  const status = dialog.querySelector("#find-said");
  let entries = []; // of what was found last, each with its element
  let chosen = 0;
  let walked = -1; // which one n and N stand at
  let asking = null;
  let asked = ""; // what the list holds the answer for
  let going = false; // Enter came before the answer
  let typing = 0;

  const text = (tag, cls, words) => {
    const element = document.createElement(tag);
    if (cls) element.className = cls;
    element.textContent = words;
    return element;
  };

  const choose = (at) => {
    if (!entries.length) return;
    chosen = (at + entries.length) % entries.length;
    entries.forEach((entry, i) => entry.element.setAttribute("aria-selected", String(i === chosen)));
    box.setAttribute("aria-activedescendant", entries[chosen].element.id);
    entries[chosen].element.scrollIntoView({ block: "nearest" });
  };

  const option = (hit, at) => {
    const element = document.createElement("a");
    element.href = hit.url || `#${hit.target}`;
    element.id = `find-${at}`;
    element.tabIndex = -1;
    element.setAttribute("role", "option");
    element.dataset.at = at;
    if (!hit.counts) element.className = "slight";
    element.append(text("b", "", hit.name));
    if (hit.beside) element.append(text("small", "", hit.beside));
    if (hit.first || hit.second) {
      const sides = document.createElement("span");
      sides.className = "sides";
      sides.append(text("span", "first-ink", hit.first), " → ", text("span", "second-ink", hit.second), " ", text("span", hit.cls, hit.change));
      element.append(sides);
    }
    return element;
  };

  const part = (group) => {
    const made = document.createElement("section");
    made.setAttribute("role", "group");
    made.setAttribute("aria-label", group.title);
    const more = group.count > group.found.length ? `${group.found.length} of ${group.count}` : group.count ? `${group.count}` : "";
    const head = document.createElement("p"); // for the eye: the group has it as its label
    head.setAttribute("aria-hidden", "true");
    head.append(text("b", "", group.title), " ", text("small", "", more));
    made.append(head);
    for (const hit of group.found) {
      const element = option(hit, entries.length);
      entries.push({ ...hit, element });
      made.append(element);
    }
    return made;
  };

  const show = (answer, wanted) => {
    entries = [];
    walked = -1;
    list.replaceChildren(...(answer.groups || []).map(part));
    box.setAttribute("aria-expanded", String(entries.length > 0));
    const counts = Object.values(answer.sections || {});
    const rows = counts.reduce((sum, n) => sum + n, 0);
    const sections = `${counts.length} section${counts.length === 1 ? "" : "s"}`;
    const any = (answer.groups || []).some((group) => group.count); // of what is not listed one says why
    status.textContent = any ? `${rows} row${rows === 1 ? "" : "s"} in ${sections}` : `nothing holds “${wanted}”`;
    choose(0);
  };

  const ask = async () => {
    const wanted = box.value.trim();
    if (asking) asking.abort();
    if (!wanted) { asked = ""; show({}, ""); status.textContent = ""; return; }
    asking = new AbortController();
    const url = new URL(document.body.dataset.search, location.href);
    const view = window.awr.parameters();
    delete view.all;
    for (const [name, value] of Object.entries({ ...view, q: wanted, found: "1" })) url.searchParams.set(name, value);
    try {
      const answer = await fetch(url, { headers: { Accept: "application/json" }, signal: asking.signal });
      if (!answer.ok) throw new Error(String(answer.status));
      show(await answer.json(), wanted);
      asked = wanted;
      if (going) goTo(chosen);
    } catch (problem) {
      if (problem.name !== "AbortError") status.textContent = "It could not be looked for; try again.";
    }
  };

  const enter = () => {
    if (asked === box.value.trim()) { goTo(chosen); return; }
    going = true;
    clearTimeout(typing);
    ask();
  };

  const goTo = (at) => {
    going = false;
    const entry = entries[at];
    if (!entry) return;
    walked = at;
    if (dialog.open) dialog.close();
    if (entry.url) { document.dispatchEvent(new CustomEvent("open-entity", { detail: entry.element })); return; }
    if (entry.only || document.getElementById(entry.target)?.matches(".sec")) { window.awr.lookedFor(entry.target, entry.only ? asked : ""); return; }
    const hash = `#${entry.target}`;
    if (location.hash === hash) dispatchEvent(new HashChangeEvent("hashchange"));
    else location.hash = hash;
  };

  // From place to place on the page; what has a panel is not one, nor is a table that shows what it holds.
  const walk = (step) => {
    const places = entries.filter((entry) => !entry.url && !entry.only);
    if (!places.length) return;
    const at = entries[walked] ? places.indexOf(entries[walked]) : -1;
    const next = at < 0 && step < 0 ? places.length - 1 : (at + step + places.length) % places.length;
    goTo(entries.indexOf(places[next]));
  };

  box.addEventListener("input", () => { clearTimeout(typing); going = false; typing = setTimeout(ask, 60); });
  box.addEventListener("keydown", (event) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step) { event.preventDefault(); choose(chosen + step); }
    if (event.key === "Enter") { event.preventDefault(); enter(); }
    if (event.key === "Escape") { event.preventDefault(); dialog.close(); } // which a search box takes for itself first
  });
  list.addEventListener("click", (event) => {
    const link = event.target.closest("[data-at]");
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    goTo(Number(link.dataset.at));
  });

  const open = (event) => {
    event.preventDefault();
    if (!document.querySelector("dialog[open]")) { dialog.showModal(); box.select(); }
  };
  document.addEventListener("find", open);
  document.addEventListener("click", (event) => { if (event.target.closest("[data-find]")) open(event); });
  document.addEventListener("keydown", (event) => {
    if ((event.ctrlKey || event.metaKey) && !event.altKey && event.key.toLowerCase() === "k") { open(event); return; }
    if (event.ctrlKey || event.metaKey || event.altKey || event.target.matches("input, select, textarea")) return;
    if (!entries.length || document.querySelector("dialog[open]")) return;
    if (event.key === "n") walk(1);
    if (event.key === "N") walk(-1);
  });

  // A link may say what to look for; with the name of a section it is said of its rows (sections.js).
  const given = new URL(location.href).searchParams.get("q");
  if (given && !location.hash) { box.value = given; dialog.showModal(); ask(); }
})();
