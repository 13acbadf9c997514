// Parts of an incident or post-mortem, and findings of a comparison, that others have changed or judged are put in the place of those that stand there.
(() => {
  "use strict";
  const $$ = (selector, from = document) => [...from.querySelectorAll(selector)];
  const root = document.querySelector("[data-changes]");
  if (!root) return;
  let known = Number(root.dataset.changes);
  let busy = false;
  let wanted = known;
  // As the server wrote it: without what scripts put there, and without the tokens, which differ in each answer.
  const plain = (part) => {
    const copy = part.cloneNode(true);
    for (const one of $$("input[name=csrfmiddlewaretoken], .talk-mark, .talk-add, .typing, .draft-note", copy)) one.remove();
    return copy.innerHTML.replace(/ open=""/g, "").replace(/\s+/g, " ");
  };
  const written = new Map($$("[data-live]").map((part) => [part.dataset.live, plain(part)]));
  const hasFocus = (part) => part.contains(document.activeElement) && document.activeElement.matches("input, select, textarea");
  const isChanged = (one) => one.type !== "hidden" && (one.value !== one.defaultValue || one.checked !== one.defaultChecked);
  // What somebody began to type stays, wherever they click meanwhile.
  const isTypedIn = (part) => hasFocus(part) || $$("input, textarea", part).some(isChanged);
  const FOCUS = "a, button, summary, select, input";
  const put = (part, made) => {
    const opened = new Set($$("details[open] > summary", part).map((one) => one.textContent));
    const at = part.contains(document.activeElement) ? $$(FOCUS, part).indexOf(document.activeElement) : -1;
    part.replaceChildren(...made.childNodes);
    if (part.dataset.finding) part.className = made.className; // struck out, or not any more
    for (const one of $$("details > summary", part)) if (opened.has(one.textContent)) one.parentElement.open = true;
    if (at >= 0) ($$(FOCUS, part)[at] || document.getElementById("main")).focus({ preventScroll: true });
    if (window.htmx) window.htmx.process(part);
  };
  const renew = async () => {
    if (busy) return;
    busy = true;
    try {
      const asked = wanted;
      const answer = await fetch(location.href, { headers: { Accept: "text/html" }, cache: "no-store" });
      if (!answer.ok) return;
      const page = new DOMParser().parseFromString(await answer.text(), "text/html");
      let left = false;
      for (const part of $$("[data-live]")) {
        const made = page.querySelector(`[data-live="${CSS.escape(part.dataset.live)}"]`);
        if (!made) continue;
        const text = plain(made);
        if (text === written.get(part.dataset.live)) continue;
        if (isTypedIn(part)) { left = true; continue; }
        written.set(part.dataset.live, text);
        put(part, made);
      }
      if (!left) known = asked;
      document.dispatchEvent(new CustomEvent(root.matches("[data-judged]") ? "findings-judged" : "view-changed"));
    } catch { /* the next change, or the next question, asks again */ } finally { busy = false; }
  };
  const unfold = () => {
    const line = document.getElementById(decodeURIComponent(location.hash.slice(1).split("&")[0]));
    const fold = line && line.closest("details.log");
    if (fold && !fold.open) { fold.open = true; line.scrollIntoView({ block: "center" }); }
  };
  addEventListener("hashchange", unfold);
  unfold();
  document.addEventListener("incident-changed", (event) => { wanted = event.detail; if (wanted !== known) renew(); });
  document.addEventListener("focusout", () => setTimeout(() => { if (wanted !== known) renew(); }, 200));
})();
