// What is new in the threads of this comparison: marks on rows and in the rail, who is looking, whose turn it is.
(() => {
  "use strict";
  const panel = document.getElementById("talk");
  if (!panel) return;
  const $ = (selector, from = document) => from.querySelector(selector);
  const $$ = (selector, from = document) => [...from.querySelectorAll(selector)];
  const EVERY_MS = 2000, LONGEST_MS = 60000;
  let tag = "";
  let wait = EVERY_MS;
  let timer = 0;
  let asking = false;

  // --- marks -----------------------------------------------------------------------------------------
  // A row is told of above the tables too: in the bars' key and in lists, beside its name there. On a bar is no room.
  const spotIn = (row) => $(":scope > .name, :scope > th, :scope > .head > h2", row) || row;
  const toldAt = (anchor) => $$(`[data-anchor="${CSS.escape(anchor)}"]`).filter((row) => !row.closest(".stack, .panel, .pins"));
  const placesOf = (anchor) => [elementOf(anchor), ...toldAt(anchor).map(spotIn)].filter(Boolean);
  const elementOf = (anchor) => {
    const line = document.getElementById(anchor);
    if (line && line.matches("[data-line]")) return $(":scope > div", line);
    const [section, row] = anchor.split("/");
    if (anchor.startsWith("finding:")) return $(`[data-finding="${CSS.escape(anchor)}"] b`);
    if (anchor.startsWith("entity:")) return null;
    if (!row) return $(`#${CSS.escape(section)} > :is(h2, h3)`) || (section === "summary" ? $("[data-talk-whole]") : null);
    const tr = document.getElementById(`r-${row}`);
    return tr && tr.closest(".sec") && tr.closest(".sec").id === section ? $("th", tr) : null;
  };
  window.awr.placesOf = placesOf;
  const mark = (threads, text, label) => {
    const made = document.createElement("a");
    made.className = "talk-mark";
    made.href = `${panel.dataset.threads}?anchor=${encodeURIComponent(threads[0].anchor)}`;
    made.dataset.talkAbout = threads[0].anchor;
    made.textContent = text;
    made.title = label;
    made.setAttribute("aria-label", label);
    made.classList.toggle("yours", threads.some((one) => one.your_turn));
    made.classList.toggle("resolved", threads.every((one) => one.resolved));
    return made;
  };
  const words = (threads) => {
    const comments = threads.reduce((sum, one) => sum + one.comments, 0);
    const state = threads.every((one) => one.resolved) ? ", resolved" : threads.some((one) => one.your_turn) ? ", your turn" : "";
    return `Thread: ${comments} comment${comments === 1 ? "" : "s"}${state}`;
  };
  const grouped = (key) => {
    const named = new Map();
    for (const one of window.awr.threads.filter((thread) => thread.comments)) {
      const name = key(one);
      if (name) named.set(name, [...(named.get(name) || []), one]);
    }
    return named;
  };
  const paint = () => {
    const focused = document.activeElement.matches(".talk-mark") ? document.activeElement.parentElement : null;
    $$(".talk-mark").forEach((old) => old.remove());
    for (const [anchor, threads] of grouped((one) => one.anchor)) {
      const open = threads.filter((one) => !one.resolved);
      const count = (open.length ? open : threads).reduce((sum, one) => sum + one.comments, 0);
      for (const place of placesOf(anchor)) {
        const made = mark(threads, open.length ? count : "✓", words(threads));
        if (place.contains(add)) add.remove();
        const before = $(":scope > .beside, :scope > .under", place);
        if (before) before.before(made); else place.append(made);
        if (place === focused) made.focus({ preventScroll: true });
      }
    }
    rail();
  };
  const rail = () => {
    const open = grouped((one) => (one.resolved ? "" : one.anchor === "unaccounted" ? "time" : one.anchor.split("/")[0]));
    const put = (link, threads) => {
      const made = document.createElement("span");
      made.className = "talk-mark";
      made.classList.toggle("yours", threads.some((one) => one.your_turn));
      made.textContent = threads.length;
      made.title = `${threads.length} unresolved thread${threads.length === 1 ? "" : "s"}`;
      link.append(made);
    };
    for (const link of $$('.rail a[href^="#"]')) {
      const threads = open.get(link.hash.slice(1));
      if (threads) put(link, threads);
    }
    const all = window.awr.threads.filter((one) => !one.resolved && one.comments);
    const list = $(".rail [data-talk-list], .inc-head [data-talk-list]");
    if (list && all.length) put(list, all);
  };
  for (const name of ["section-shown", "view-changed", "findings-judged"]) document.addEventListener(name, () => { paint(); writes(); });

  // One button, where the pointer or the finger is.
  const add = document.createElement("button");
  add.type = "button";
  add.className = "talk-add";
  add.textContent = "✎";
  add.title = "Write about this (m)";
  add.setAttribute("aria-label", "Write about this");
  add.tabIndex = -1; // by key it is `m`
  if (!document.querySelector("#talk[data-reads]")) document.addEventListener("pointerover", (event) => {
    const anchor = window.awr.anchors.of(event.target);
    if (!anchor || add.dataset.talkAbout === anchor && add.isConnected) return;
    const row = event.target.closest("tr[id^='r-']");
    const finding = event.target.closest("[data-finding]");
    const line = event.target.closest("[data-line]");
    const marked = event.target.closest("[data-anchor]");
    if (marked && marked.closest(".stack")) return;
    const place = line ? $(":scope > div", line) : finding || (marked && spotIn(marked)) || (row ? $("th", row) : event.target.closest(".sec > :is(h2, h3), #time > h2, #commit > h2"));
    if (!place || $(".talk-mark", finding || place)) return;
    add.dataset.talkAbout = anchor;
    const link = row && $(":scope > .pl", place);
    if (link) link.after(add); else place.append(add);
  });

  // --- who writes where: `data-typing` around a form is the line that it changes -------------------------
  const TYPES_MS = 6000;
  let line = "";
  let typed = 0;
  document.addEventListener("input", (event) => {
    const form = event.target.form?.closest("[data-typing]");
    if (!form) return;
    const began = typing() !== form.dataset.typing;
    line = form.dataset.typing;
    typed = performance.now();
    if (began) ask();
  });
  const typing = () => (typed && performance.now() - typed < TYPES_MS ? line : "");
  let last = [];
  const writes = (writers = last) => {
    last = writers;
    $$(".typing").forEach((old) => old.remove());
    for (const one of writers) {
      for (const place of $$(`[data-typing="${CSS.escape(one.line)}"], #${CSS.escape(one.line)}`)) {
        const note = document.createElement("span");
        note.className = "typing";
        note.setAttribute("role", "status");
        note.textContent = `${one.name_shown} is writing here`;
        (place.querySelector(":scope > div") || place).append(note);
      }
    }
  };

  // --- asking ----------------------------------------------------------------------------------------
  const show = (news) => {
    window.awr.threads = news.threads;
    paint();
    const there = $("[data-looking]");
    const turn = $("[data-your-turn]");
    if (there && turn) { // below a link there is neither
      there.hidden = !news.looking.length;
      there.title = there.textContent = news.looking.length ? `${news.looking_shown.join(", ")} ${news.looking.length === 1 ? "is" : "are"} looking` : "";
      turn.hidden = !news.your_turn;
      turn.textContent = `Your turn: ${news.your_turn}`;
    }
    writes(news.typing || []);
    if (news.changes) document.dispatchEvent(new CustomEvent("incident-changed", { detail: news.changes }));
    document.dispatchEvent(new CustomEvent("threads-renewed", { detail: news.threads }));
  };
  // A tab that nobody sees asks nothing; a server that does not answer is asked less and less often.
  const ask = async () => {
    clearTimeout(timer);
    if (document.hidden || asking) return;
    asking = true;
    try {
      const headers = { Accept: "application/json", ...(tag ? { "If-None-Match": tag } : {}) };
      const where = typing();
      const answer = await fetch(`${panel.dataset.threads}live/${where ? `?typing=${encodeURIComponent(where)}` : ""}`, { headers, cache: "no-store" });
      if ([401, 403, 404].includes(answer.status)) return; // signed out, or it is not there any more
      if (answer.status === 200) { tag = answer.headers.get("ETag") || ""; show(await answer.json()); }
      else if (answer.status !== 304) throw new Error(String(answer.status));
      wait = 1000 * Number(answer.headers.get("X-Ask-Again")) || EVERY_MS; // seldom where nobody else is there
    } catch { wait = Math.min(wait * 2, LONGEST_MS); } finally { asking = false; }
    timer = setTimeout(ask, wait);
  };
  document.addEventListener("visibilitychange", () => { if (!document.hidden) ask(); });
  document.addEventListener("threads-changed", ask);
  ask();
})();
