// Sections load when they come into view or are opened; links of the form #section/row open both.
(() => {
  "use strict";
  const $ = (selector, from = document) => from.querySelector(selector);
  const $$ = (selector, from = document) => [...from.querySelectorAll(selector)];
  const sections = $$(".sec");
  const extra = new WeakMap(); // parameters one section alone carries: columns, the row to show

  const OWN = ["sort", "columns", "part", "q", "unpriced"];
  const bodyOf = (section) => $(".body", section);
  const isOpen = (section) => !section.classList.contains("folded");

  const load = (section) => {
    const target = bodyOf(section);
    target.dataset.asked = "1";
    if (!target.classList.contains("loaded")) {
      const note = document.createElement("p");
      note.className = "wait";
      note.textContent = "Loading…";
      target.replaceChildren(note);
    }
    target.setAttribute("aria-busy", "true");
    htmx.ajax("GET", $(".fold", section).getAttribute("href"), { source: target, target, swap: "innerHTML" });
  };

  const fold = (section, folded) => {
    section.classList.toggle("folded", folded);
    $(".fold", section).setAttribute("aria-expanded", String(!folded));
    if (!folded && !bodyOf(section).dataset.asked) load(section);
  };

  // What is open or folded unlike on a page opened anew, and how the section is shown that the address names.
  const atFirst = new Map(sections.map((s) => [s, isOpen(s)]));
  const folds = () => {
    const named = (list) => list.map((s) => s.id).join(",");
    const query = {
      open: named(sections.filter((s) => isOpen(s) && !atFirst.get(s))),
      folded: named(sections.filter((s) => !isOpen(s) && atFirst.get(s))),
    };
    const own = extra.get(wanted().section) || {};
    for (const name of OWN) query[name] = own[name] || "";
    return query; // what is empty the address no longer says
  };
  const wantedFolds = (name) => new Set((new URL(location.href).searchParams.get(name) || "").split(",").filter(Boolean));

  // How a section is ordered, which columns, part and rows of it are shown: in the address of it, and of a row of it.
  const addressOf = (section, row) => {
    const url = new URL(window.awr.place());
    for (const name of OWN) {
      const value = (extra.get(section) || {})[name];
      if (value) url.searchParams.set(name, value); else url.searchParams.delete(name);
    }
    url.searchParams.delete("open"); // the row's own section opens by itself
    if (isOpen(section) && !atFirst.get(section)) {
      const others = sections.filter((s) => s !== section && isOpen(s) && !atFirst.get(s)).map((s) => s.id).join(",");
      if (others) url.searchParams.set("open", others);
    } else if (folds().open) url.searchParams.set("open", folds().open);
    url.hash = row ? `${section.id}/${row}` : section.id;
    return url;
  };

  // Whoever jumps to a section waits for that one: its neighbours are asked for once it is there.
  let awaited = null;
  const held = new Set();
  const arrived = (section) => {
    if (section !== awaited) return;
    awaited = null;
    held.forEach(rewatch);
    held.clear();
  };

  const inView = new IntersectionObserver((entries) => {
    for (const entry of entries) {
      const section = entry.target.closest(".sec");
      if (awaited && section !== awaited) { held.add(section); continue; }
      if (entry.isIntersecting && isOpen(section) && !entry.target.dataset.asked) load(section);
    }
  }, { rootMargin: "1200px 0px" });
  document.addEventListener("htmx:configRequest", (event) => {
    Object.assign(event.detail.parameters, window.awr.parameters());
    const section = event.target.closest(".sec");
    if (section) Object.assign(event.detail.parameters, extra.get(section) || {});
  });

  // A wide table scrolls inside its card; one that fits keeps its head at the top of the window.
  // All are measured before any is changed: each change between two looks would lay the page out once more.
  const fit = (boxes) => {
    boxes.forEach((box) => box.classList.remove("wide", "fits"));
    const measured = boxes.map((box) => {
      const table = $("table", box);
      return table && (table.scrollWidth > box.clientWidth + 1 ? "wide" : "fits");
    });
    boxes.forEach((box, at) => { if (measured[at]) box.classList.add(measured[at]); });
  };
  addEventListener("resize", () => fit($$(".scroll")));

  document.addEventListener("htmx:afterSettle", (event) => {
    const section = event.target.closest(".sec");
    if (!section) return;
    const target = bodyOf(section);
    target.classList.add("loaded");
    target.removeAttribute("aria-busy");
    const led = section === awaited; // by a link
    arrived(section);
    fit($$(".scroll", section));
    window.awr.light();
    document.dispatchEvent(new CustomEvent("section-shown", { detail: section }));
    aim(section, led);
    backToPlace();
  });

  const failed = (event) => {
    const section = event.target.closest(".sec");
    if (!section) return;
    const target = bodyOf(section);
    delete target.dataset.asked;
    target.removeAttribute("aria-busy");
    arrived(section);
    const note = document.createElement("p");
    note.className = "wait error";
    note.setAttribute("role", "alert");
    const status = event.detail.xhr ? event.detail.xhr.status : 0;
    note.textContent = status ? `This section could not be loaded (the server answered ${status}). ` : "This section could not be loaded: the server does not answer. ";
    const again = document.createElement("button");
    again.type = "button";
    again.textContent = "Try again";
    again.addEventListener("click", () => { target.classList.remove("loaded"); load(section); });
    note.append(again);
    target.replaceChildren(note);
  };
  for (const name of ["htmx:responseError", "htmx:sendError", "htmx:timeout"]) document.addEventListener(name, failed);

  document.addEventListener("view-changed", () => {
    for (const section of sections) {
      const own = extra.get(section);
      if (own) for (const name of ["row", "sort", "part", "all", "unpriced"]) delete own[name];
      if (!bodyOf(section).dataset.asked) continue;
      if (isOpen(section) && nearView(section)) load(section);
      else { delete bodyOf(section).dataset.asked; rewatch(section); }
    }
    backToPlace();
    mark();
  });

  // Whatever is shown differently, the reader stays at the row, or else the card, that they look at.
  let place = null;
  const topOf = (element) => element.getBoundingClientRect().top;
  const keepPlace = () => {
    const eye = innerHeight / 3;
    const card = $$("main > .card, .sheet > .card").find((el) => el.getBoundingClientRect().bottom > eye);
    if (!card || !scrollY) return;
    const [row] = $$("tr[id]", card).sort((a, b) => Math.abs(topOf(a) - eye) - Math.abs(topOf(b) - eye));
    place = [row && row.id, card.id].filter(Boolean).map((id) => ({ id, top: topOf(document.getElementById(id)) }));
  };
  const backToPlace = () => {
    const kept = place && place.find(({ id }) => document.getElementById(id));
    if (kept) scrollBy({ top: topOf(document.getElementById(kept.id)) - kept.top, behavior: "instant" });
  };
  for (const name of ["wheel", "touchmove", "keydown", "pointerdown"]) addEventListener(name, () => { place = null; }, { passive: true, capture: true });

  const nearView = (section) => {
    const box = bodyOf(section).getBoundingClientRect();
    return box.bottom > -1200 && box.top < innerHeight + 1200;
  };
  const rewatch = (section) => { inView.unobserve(bodyOf(section)); inView.observe(bodyOf(section)); };

  document.addEventListener("click", (event) => {
    const link = event.target.closest(".fold");
    if (link && !event.ctrlKey && !event.metaKey && !event.shiftKey) {
      event.preventDefault();
      const section = link.closest(".sec");
      fold(section, isOpen(section));
      window.awr.remember();
      return;
    }
    const control = event.target.closest("[data-columns], [data-sort], [data-part], [data-own]");
    if (!control || !control.closest(".body")) return;
    event.preventDefault();
    const section = control.closest(".sec");
    const own = { ...extra.get(section) };
    delete own.row;
    if (control.dataset.own !== undefined) { // what the threshold hides is shown here alone, and for this view
      for (const name of ["q", "all", "unpriced"]) delete own[name];
      if (control.dataset.own) own[control.dataset.own] = "1";
    } else if (control.dataset.part) {
      own.part = control.dataset.part;
    } else if (control.dataset.sort) {
      if (own.sort === control.dataset.sort) delete own.sort; else own.sort = control.dataset.sort;
    } else {
      delete own.sort;
      if (["all", "each"].includes(control.dataset.columns)) own.columns = control.dataset.columns; else delete own.columns;
    }
    showOwn(section, own);
  });

  // The address names the section that was ordered or chosen from last, so that it is so again after a reload.
  const showOwn = (section, own) => {
    extra.set(section, own);
    history.replaceState(null, "", `#${section.id}`);
    if (bodyOf(section).dataset.asked) load(section);
    fold(section, false); // reads it where nobody had asked for it
    window.awr.remember();
  };
  // A section that was looked for by its name, or those of its rows that hold a text (find.js): whatever they are worth.
  const lookedFor = (id, text) => {
    const section = sections.find((s) => s.id === id);
    if (!section) return;
    showOwn(section, text ? { q: text } : { unpriced: "1" });
    section.scrollIntoView();
    $(".fold", section).focus({ preventScroll: true });
  };

  // #section or #section/row; what follows it names a thread (threads.js).
  const fragment = () => decodeURIComponent(location.hash.slice(1).replace(/&?thread=\d+$/, ""));
  const wanted = () => {
    const [id, row] = fragment().split("/");
    return { section: id ? sections.find((s) => s.id === id) : null, row };
  };

  const aim = (section, led) => {
    const goal = wanted();
    if (!goal.row || goal.section !== section) return;
    const row = document.getElementById(`r-${goal.row}`);
    if (!row && led) say(bodyOf(section), "The row that the link names is not in this table of these reports.");
    if (!row || row.classList.contains("aim")) return;
    $$("tr.aim").forEach((el) => el.classList.remove("aim"));
    row.classList.add("aim");
    if (!led) return; // it is read anew; who was led here may be elsewhere by now
    row.scrollIntoView({ block: "center" });
    // Whoever came by a link goes on from the row: Enter opens the panel of what it names.
    goOn(row.querySelector("th a"));
  };

  const say = (place, text) => {
    const note = Object.assign(document.createElement("p"), { className: "none lost", textContent: text });
    note.setAttribute("role", "status");
    place.prepend(note);
    note.scrollIntoView({ block: "center" });
  };

  // Keys go on from where a link has led, unless the reader is busy elsewhere.
  const goOn = (element) => {
    const here = document.activeElement;
    if (element && (here === document.body || here.matches('main, a[href^="#"]'))) element.focus({ preventScroll: true });
  };

  // A finding by its anchor, or by its place; those that are folded away open.
  const showFinding = () => {
    const name = fragment();
    const target = name.startsWith("finding:")
      ? $$("[data-finding]").find((el) => el.dataset.finding === name)
      : /^finding-\d+$/.test(name) ? document.getElementById(name) : null;
    if (!target) return;
    const folded = target.closest("details");
    if (folded) folded.open = true;
    const own = target.querySelector(":scope > details");
    if (own) own.open = true;
    $$(".find > li.aim").forEach((el) => el.classList.remove("aim"));
    target.classList.add("aim");
    target.scrollIntoView({ block: "center" });
    target.tabIndex = -1;
    goOn(target);
  };

  const follow = () => {
    showFinding();
    const goal = wanted();
    if (!goal.section) {
      const evidence = $("#evidence");
      if (goal.row && evidence) say(evidence, "The table that the link names is not in these reports.");
      return;
    }
    $$("tr.aim").forEach((el) => el.classList.remove("aim"));
    const missing = goal.row && !document.getElementById(`r-${goal.row}`);
    const asked = Boolean(bodyOf(goal.section).dataset.asked);
    if (missing) extra.set(goal.section, { ...extra.get(goal.section), row: goal.row });
    fold(goal.section, false); // reads it where nobody had asked for it
    if (missing && asked) load(goal.section);
    if (missing || !bodyOf(goal.section).classList.contains("loaded")) awaited = goal.section;
    if (goal.row && !missing) { aim(goal.section, true); return; }
    goal.section.scrollIntoView();
    if (!goal.row) goOn($(".fold", goal.section));
  };
  addEventListener("hashchange", () => { follow(); window.awr.remember(); });
  document.addEventListener("click", (event) => {
    // The same link twice changes no address, so no hashchange follows.
    const link = event.target.closest('a[href^="#"]');
    if (link && link.hash === location.hash) follow();
  });

  // Rail: mark where the reader is.
  const lineAt = (below) => parseFloat(getComputedStyle(document.documentElement).getPropertyValue("--top")) + below;
  let current = null;
  const mark = () => {
    const links = new Map($$('.rail a[href^="#"]').map((a) => [a.hash.slice(1), a])); // another threshold makes them anew
    const line = lineAt(24); // less than a folded card is high
    let section = null;
    for (const id of links.keys()) {
      const el = document.getElementById(id);
      if (!el) continue;
      const top = el.getBoundingClientRect().top;
      if (top <= line && (!section || top >= section.top)) section = { id, top };
    }
    const next = section ? links.get(section.id) : links.values().next().value;
    if (next === current || !next) return;
    if (current) current.removeAttribute("aria-current");
    next.setAttribute("aria-current", "true");
    current = next;
    const rail = $("#rail");
    if (next.offsetTop < rail.scrollTop || next.offsetTop > rail.scrollTop + rail.clientHeight - 40) {
      rail.scrollTop = next.offsetTop - rail.clientHeight / 3;
    }
  };
  let waiting = false;
  addEventListener("scroll", () => {
    if (waiting) return;
    waiting = true;
    requestAnimationFrame(() => { waiting = false; mark(); });
  }, { passive: true });
  mark();

  const here = () => {
    const line = lineAt(40);
    const passed = sections.filter((s) => s.getBoundingClientRect().top <= line);
    return passed.length ? passed.length - 1 : -1;
  };
  document.addEventListener("section-step", (event) => {
    const next = sections[Math.min(Math.max(here() + event.detail, 0), sections.length - 1)];
    if (!next) return;
    next.scrollIntoView();
    $(".fold", next).focus({ preventScroll: true });
  });
  const meant = () => document.activeElement.closest(".sec") || sections[here()];
  document.addEventListener("section-toggle", () => {
    const focused = meant();
    if (focused) { fold(focused, isOpen(focused)); window.awr.remember(); }
  });
  document.addEventListener("section-table", () => document.dispatchEvent(new CustomEvent("copy-table", { detail: meant() })));
  document.addEventListener("section-csv", () => {
    const link = meant() && $(".take a[download]", meant());
    if (link) link.click();
  });

  const read = (section) => { if (!bodyOf(section).dataset.asked) load(section); };
  Object.assign(window.awr, { folds, addressOf, read, lookedFor, keepPlace });

  // htmx is ready once the document is parsed; its own listener comes before this one.
  const start = () => {
    fit($$(".scroll")); // what came with the page itself
    const [open, folded] = [wantedFolds("open"), wantedFolds("folded")];
    for (const section of sections) {
      if (open.has(section.id)) section.classList.remove("folded");
      if (folded.has(section.id)) section.classList.add("folded");
      $(".fold", section).setAttribute("aria-expanded", String(isOpen(section)));
    }
    const own = Object.fromEntries(OWN.map((name) => [name, new URL(location.href).searchParams.get(name)]).filter(([, value]) => value));
    const whose = wanted().section || (sections.length === 1 && sections[0]); // a section's own page has no other
    if (whose && Object.keys(own).length) extra.set(whose, own);
    follow();
    $$(".sec > .body").forEach((el) => inView.observe(el));
  };
  if (document.readyState === "complete") start();
  else document.addEventListener("DOMContentLoaded", start);
})();
