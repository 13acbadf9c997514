// Threads in a panel beside what they are about: opened by `m`, by a mark, by the address (…&thread=5); writing, drafts, answers.
(() => {
  "use strict";
  const panel = document.getElementById("talk");
  if (!panel) return;
  const $ = (selector, from = panel) => from.querySelector(selector);
  const base = panel.dataset.threads;
  const looked = document.body.dataset.view || `pair=${document.body.dataset.pair || "0"}`; // a pair, or a view of several
  const status = document.querySelector("[data-talk-said]");
  let shown = ""; // the address of what is shown
  let opener = null;
  let holder = null; // the place that it stands in: its marks are drawn anew

  const say = (text) => { status.textContent = text; };
  const threadUrl = (id) => `${base}${id}/`;
  const placeUrl = (anchor) => `${base}?anchor=${encodeURIComponent(anchor)}`;
  const withPair = (url) => `${url}${url.includes("?") ? "&" : "?"}${looked}`;

  // --- the address: what follows the row names the thread ------------------------------------------
  const wanted = () => (location.hash.match(/[#&]thread=(\d+)$/) || [])[1] || "";
  const withoutThread = () => location.hash.replace(/&?thread=\d+$/, "").replace(/^#$/, "");
  const hashOf = (anchor, id) => `#${encodeURIComponent(anchor).replace(/%2F/g, "/").replace(/%3A/g, ":")}&thread=${id}`;
  const leave = () => {
    if (wanted()) history.replaceState(null, "", `${location.pathname}${location.search}${withoutThread()}`);
  };

  // --- drafts: kept in this browser until they are posted, with the key that posting again has --------
  const slot = (form) => `awrdiff-draft ${panel.dataset.me} ${new URL(form.action).pathname} ${form.anchor ? form.anchor.value : ""}`;
  const store = {
    read: (form) => window.awr.drafts.read(slot(form)),
    write: (form) => window.awr.drafts.write(slot(form), form.body.value.trim() ? { text: form.body.value, key: form.key.value } : null),
    forget: (form) => window.awr.drafts.write(slot(form), null),
  };
  const restore = () => {
    const form = $("[data-say]");
    const draft = form ? store.read(form) : null;
    if (draft) { form.body.value = draft.text; form.key.value = draft.key; }
  };

  // --- the place that is discussed: it stays in sight, where it was --------------------------------------
  const anchorShown = () => ($("[data-thread]") || { dataset: {} }).dataset.anchor || ($("[name=anchor]") || {}).value || "";
  const isInSight = (place) => { const { top, bottom } = place.getBoundingClientRect(); return place.checkVisibility() && bottom > 0 && top < innerHeight; };
  const rowOf = (place) => place.closest("[data-anchor], [data-finding], tr, [data-line]") || place;
  const inSight = (anchor) => {
    const places = window.awr.placesOf ? window.awr.placesOf(anchor).filter(isInSight) : []; // live.js comes later
    return places.find((one) => rowOf(one).matches(":hover, :focus-within")) || places[0];
  };
  const discussed = (anchor) => {
    for (const row of document.querySelectorAll("[data-anchor]")) row.classList.toggle("talked", Boolean(anchor) && row.dataset.anchor === anchor && !panel.contains(row));
  };
  // The page is narrower beside the panel, and its lines break elsewhere.
  const still = (place, change) => {
    const at = place && place.checkVisibility() ? place : document.elementFromPoint(innerWidth / 2, innerHeight / 3);
    const top = at.getBoundingClientRect().top;
    change();
    if (at.isConnected && at.checkVisibility()) scrollBy({ top: at.getBoundingClientRect().top - top, behavior: "instant" });
  };
  // On a narrow window the panel lies below, and what is discussed above it.
  const discuss = (anchor, from) => {
    const place = from && !from.closest(".rail") ? from : anchor && inSight(anchor);
    if (panel.hidden) still(place, () => { panel.hidden = false; });
    discussed(anchor);
    if (place && matchMedia("(max-width: 1200px)").matches) rowOf(place).scrollIntoView({ block: "nearest" });
  };

  // --- showing ---------------------------------------------------------------------------------------
  const markup = async (url) => {
    const answer = await fetch(withPair(url), { headers: { "HX-Request": "true" }, cache: "no-store" });
    if (answer.ok) return answer.text();
    throw new Error(answer.status === 404 ? "It is not there any more." : `It could not be loaded (the server answered ${answer.status}).`);
  };

  const failed = (problem) => {
    const note = document.createElement("p");
    note.className = "wait";
    note.setAttribute("role", "alert");
    note.textContent = problem instanceof TypeError ? "It could not be loaded: the server does not answer." : problem.message;
    const close = document.createElement("button");
    close.type = "button";
    close.textContent = "Close";
    close.dataset.closeTalk = "";
    panel.replaceChildren(note, close);
    close.focus();
  };

  const open = async (url, { from = null, write = false } = {}) => {
    if (!shown) {
      opener = from || document.activeElement;
      holder = opener.matches(".talk-mark, .talk-add") ? opener.parentElement : null;
    }
    if (shown !== url) panel.replaceChildren(Object.assign(document.createElement("p"), { className: "wait", textContent: "Loading…" }));
    shown = url;
    document.dispatchEvent(new CustomEvent("panel-opens", { detail: panel }));
    const thread = window.awr.threads.find((one) => threadUrl(one.id) === url);
    discuss(thread ? thread.anchor : new URL(url, location).searchParams.get("anchor"), from);
    panel.setAttribute("aria-busy", "true");
    try {
      const html = await markup(url);
      if (shown !== url) return;
      panel.innerHTML = html; // the server's own markup, as every section of the page
      discuss(anchorShown(), from);
      restore();
      panel.scrollTop = 0;
      const blank = [...panel.querySelectorAll("[data-say] :is([name=name], textarea)")].find((one) => !one.value);
      const box = blank || $("[data-say] textarea");
      if (write && box) box.focus();
      else { $("#talk-h").focus({ preventScroll: true }); }
    } catch (problem) { if (shown === url) failed(problem); }
    panel.removeAttribute("aria-busy");
  };

  // Where the panel was opened from. Marks are drawn anew, and the button to write moves with the pointer: then it is what
  // stands at the place now.
  const origin = () => {
    const moves = !opener || opener === document.body || opener.matches(".talk-add");
    if (!moves && opener.isConnected) return opener;
    const anchor = (!moves && opener.dataset.talkAbout) || anchorShown();
    const place = holder && holder.isConnected ? holder : window.awr.placesOf(anchor)[0];
    return (place && ($(".talk-mark", place) || $("a, button:not(.talk-add)", place))) || document.getElementById("main");
  };

  const hide = () => {
    if (!shown) return;
    const back = origin();
    still(back, empty);
    back.focus({ preventScroll: true });
  };
  const empty = () => {
    shown = "";
    panel.hidden = true;
    panel.replaceChildren();
    discussed("");
    opener = holder = null;
  };
  const close = () => { leave(); hide(); };

  // What is told of above the tables is discussed there: from where the eye is, nobody is led to the table.
  const goTo = (thread) => {
    const hash = hashOf(thread.anchor, thread.id);
    if (!inSight(thread.anchor)?.closest("[data-anchor]")) { location.hash = hash; return; }
    history.pushState(null, "", hash);
    open(threadUrl(thread.id));
  };
  const follow = () => {
    const id = wanted();
    if (!id) return;
    const place = document.getElementById(decodeURIComponent(withoutThread().slice(1)).replace(/^postmortem:/, ""));
    for (let fold = place && place.closest("details"); fold; fold = fold.parentElement.closest("details")) fold.open = true;
    if (place && !place.matches(".sec")) place.scrollIntoView({ block: place.matches("[data-line]") ? "center" : "start" });
    for (const line of document.querySelectorAll("[data-line]")) line.classList.toggle("aim", line === place);
    if (shown !== threadUrl(id)) open(threadUrl(id));
  };

  // Of a place with one thread, that thread; else what there is, and the form of a new one.
  const about = (anchor, from) => {
    const there = window.awr.threads.filter((one) => one.anchor === anchor);
    if (there.length === 1) { if (wanted() === String(there[0].id)) follow(); else goTo(there[0]); return; }
    leave();
    open(placeUrl(anchor), { from, write: !there.length });
  };

  // What was said meanwhile, without touching what is being written.
  const renew = async () => {
    const id = ($("[data-thread]") || {}).dataset;
    if (!shown || !id || $("[data-edit-form]")) return;
    const url = shown;
    const html = await markup(url).catch(() => "");
    const live = $("[data-thread-live]");
    if (!html || shown !== url || !live || $("[data-edit-form]")) return;
    const made = new DOMParser().parseFromString(html, "text/html").querySelector("[data-thread-live]");
    const atEnd = panel.scrollHeight - panel.scrollTop - panel.clientHeight < 40;
    const before = live.querySelectorAll("[data-comment]").length;
    const had = document.activeElement.closest("[data-thread-live]") ? document.activeElement : null;
    const place = had ? [...live.querySelectorAll("a, button, select")].indexOf(had) : -1;
    live.replaceWith(made);
    const now = made.querySelectorAll("[data-comment]");
    if (place >= 0) (made.querySelectorAll("a, button, select")[place] || $("#talk-h")).focus({ preventScroll: true });
    if (atEnd) panel.scrollTop = panel.scrollHeight;
    const last = now[now.length - 1];
    if (now.length > before && last) say(`${($(".by b", last) || {}).textContent || "Somebody"} has written.`);
  };

  // --- writing ---------------------------------------------------------------------------------------
  const pause = (ms) => new Promise((done) => { setTimeout(done, ms); });
  const token = (form) => form.elements.csrfmiddlewaretoken.value;
  const send = async (form, button) => {
    const data = new FormData(form);
    if (button && button.name) data.append(button.name, button.value);
    const answer = await fetch(form.action, { method: "POST", body: data, headers: { Accept: "application/json", "X-CSRFToken": token(form) } });
    let reply = {};
    try { reply = await answer.json(); } catch { /* no JSON: the status says it */ }
    if (answer.ok) return reply;
    const problem = new Error(reply.error || `The server answered ${answer.status}.`);
    problem.again = answer.status >= 502;
    throw problem;
  };
  // A server that is just being restarted: the same key makes the same comment, however often it is sent.
  const sendAgain = async (form) => {
    for (const wait of [1000, 2000, 4000, 0]) {
      try { return await send(form); } catch (problem) {
        if (!wait || !(problem.again || problem instanceof TypeError)) throw problem;
        await pause(wait);
      }
    }
    return null;
  };
  const wrong = (form, problem) => {
    const note = form.querySelector("[data-say-error]");
    const text = problem instanceof TypeError ? "The server does not answer. What you wrote is kept in this browser." : problem.message;
    if (note) { note.textContent = text; note.hidden = false; } else say(text);
  };
  const busy = (form, on) => { for (const button of form.querySelectorAll("button")) button.disabled = on; };

  const post = async (form) => {
    store.write(form);
    busy(form, true);
    form.querySelector("[data-say-error]").hidden = true;
    try {
      const thread = await sendAgain(form);
      store.forget(form);
      say("Sent.");
      if (form.anchor) { window.awr.threads.push(thread); goTo(thread); } else await open(shown);
      panel.scrollTop = panel.scrollHeight;
      document.dispatchEvent(new CustomEvent("threads-changed"));
    } catch (problem) { wrong(form, problem); }
    if (form.isConnected) busy(form, false);
  };

  // A button that was pressed goes with the old text: the focus stays with what stands there now.
  const stay = (form, editing) => {
    const here = document.activeElement;
    if (!shown || form.isConnected || (here !== document.body && !here.closest("[data-thread-live], #talk-h"))) return;
    const path = CSS.escape(form.getAttribute("action"));
    const now = $(editing ? `[data-edit][href="${path}"]` : `[data-thread-live] form[action="${path}"] button`);
    (now || $("#talk-h")).focus({ preventScroll: true });
  };

  // Meanwhile its button is not disabled, or it would lose the focus to the page.
  const act = async (form, button) => {
    if (form.ariaBusy === "true") return;
    if (form.dataset.sure && !confirm(form.dataset.sure)) return;
    const inside = panel.contains(document.activeElement);
    const editing = form.matches("[data-edit-form]");
    form.ariaBusy = "true";
    try {
      await send(form, button);
      if (editing) form.closest(".talk").remove();
      await renew();
      document.dispatchEvent(new CustomEvent("threads-changed"));
    } catch (problem) { wrong(form, problem); }
    form.ariaBusy = null;
    if (inside) stay(form, editing);
  };

  const edit = async (link) => {
    const item = link.closest("[data-comment]");
    try { item.innerHTML = await markup(link.getAttribute("href")); } catch (problem) { say(problem.message); return; }
    $("#talk-h", item).closest("header").remove();
    const box = $("textarea, [data-cancel-edit]", item);
    if (box) box.focus();
  };
  const cancelEdit = (button) => { button.closest(".talk").remove(); renew(); };

  // @na… : whose names begin so, to be chosen; each line is what somebody signs in with, and what they are called.
  const names = (box) => {
    const form = box.closest("[data-people]");
    const list = form && $("[data-names]", form);
    if (!list) return;
    const begun = (box.value.slice(0, box.selectionStart).match(/(?:^|[^\w.@+/-])@([\w.@+-]*)$/) || [])[1];
    const known = begun === undefined ? [] : form.dataset.people.split("\n").filter((both) => both.toLowerCase().split(" ").some((part) => part.startsWith(begun.toLowerCase()))).filter(Boolean).slice(0, 8);
    list.replaceChildren(...known.map((both) => {
      const [name, ...shown] = both.split(" ");
      const button = document.createElement("button");
      button.type = "button";
      button.textContent = shown.length ? `@${name} · ${shown.join(" ")}` : `@${name}`;
      button.addEventListener("click", () => {
        const at = box.selectionStart - begun.length;
        box.setRangeText(`${name} `, at, box.selectionStart, "end");
        list.hidden = true;
        box.focus();
        store.write(form);
      });
      return button;
    }));
    list.hidden = !known.length;
  };

  panel.addEventListener("input", (event) => {
    const form = event.target.closest("[data-say]");
    if (form && event.target.name === "body") { store.write(form); names(event.target); }
  });
  panel.addEventListener("submit", (event) => {
    event.preventDefault();
    if (event.target.matches("[data-say]")) post(event.target);
    else act(event.target, event.submitter);
  });
  document.addEventListener("click", (event) => {
    const at = (selector) => event.target.closest(selector);
    if (event.ctrlKey || event.metaKey || event.shiftKey) return;
    if (at("[data-close-talk]")) close();
    else if (at("[data-talk-list]")) { event.preventDefault(); leave(); open(base, { from: at("[data-talk-list]") }); }
    else if (at("[data-talk-filter]") && panel.contains(event.target)) { event.preventDefault(); open(at("[data-talk-filter]").getAttribute("href")); }
    else if (at("[data-talk-entity]")) about(`entity:${decodeURIComponent(at("[data-talk-entity]").dataset.talkEntity).replace(/\/$/, "")}`);
    else if (at("[data-talk-about]")) { event.preventDefault(); about(at("[data-talk-about]").dataset.talkAbout, at("[data-talk-about]")); }
    else if (at("[data-edit], [data-earlier]") && panel.contains(event.target)) { event.preventDefault(); edit(at("a")); }
    else if (at("[data-cancel-edit]")) cancelEdit(at("[data-cancel-edit]"));
  });
  document.addEventListener("keydown", (event) => {
    const bare = !(event.ctrlKey || event.metaKey || event.altKey) || event.getModifierState("AltGraph");
    const typing = event.target.matches("input, select, textarea");
    if (event.key === "Enter" && event.ctrlKey && event.target.matches("#talk textarea")) { event.preventDefault(); event.target.form.requestSubmit(); return; }
    if (event.key === "Escape" && shown && !document.querySelector("dialog[open]")) {
      if (event.target.matches("#talk textarea")) { $("#talk-h").focus(); return; }
      if (!typing) { event.preventDefault(); close(); }
      return;
    }
    if (!bare || typing || document.querySelector("dialog[open]")) return;
    if (event.key === "m") { event.preventDefault(); about(window.awr.anchors.chosen() || "summary"); }
    if (event.key === "[" || event.key === "]") { event.preventDefault(); walk(event.key === "]" ? 1 : -1); }
  });

  // The unresolved ones, in the order in which their sections stand on the page.
  const walk = (step) => {
    const order = [...document.querySelectorAll(".sec, #summary, #time, #unaccounted, #commit, [data-line]")].map((el) => el.id);
    const at = (one) => order.indexOf(one.anchor.split("/")[0]);
    const left = window.awr.threads.filter((one) => !one.resolved).sort((a, b) => at(a) - at(b) || a.id - b.id);
    if (!left.length) { say("No thread is unresolved."); return; }
    const here = left.findIndex((one) => String(one.id) === wanted());
    goTo(left[here < 0 ? (step > 0 ? 0 : left.length - 1) : (here + step + left.length) % left.length]);
  };

  addEventListener("hashchange", follow);
  document.addEventListener("panel-opens", (event) => { if (event.detail !== panel && shown) { leave(); empty(); } });
  document.addEventListener("threads-renewed", (event) => {
    const open = $("[data-thread]");
    const now = open && event.detail.find((one) => String(one.id) === open.dataset.thread);
    if (now && now.changed_at !== $("[data-thread-live]").dataset.changed) renew();
  });
  window.awr.threads = [];
  if (document.readyState === "complete") follow();
  else document.addEventListener("DOMContentLoaded", follow);
})();
