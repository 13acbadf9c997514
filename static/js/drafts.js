// What is being typed is kept in this browser until it is saved: in threads, and in every form with `data-draft`, which
// says whose it is. Such a form is sent by script, so that a server that is away loses nothing; `Ctrl+Enter` sends it.
(() => {
  "use strict";
  const drafts = {
    read(slot) { try { return JSON.parse(localStorage.getItem(slot)) || null; } catch { return null; } },
    write(slot, draft) {
      try {
        if (draft) localStorage.setItem(slot, JSON.stringify(draft));
        else localStorage.removeItem(slot);
      } catch { /* no room, or not allowed: it is not kept */ }
    },
  };
  window.awr = window.awr || {};
  window.awr.drafts = drafts;

  const slot = (form) => `awrdiff-draft ${form.dataset.draft} ${new URL(form.action, location.href).pathname}`;
  const fields = (form) => [...form.elements].filter((one) => one.name && !["submit", "file"].includes(one.type) && one.name !== "csrfmiddlewaretoken");
  const values = (form) => Object.fromEntries(fields(form).map((one) => [one.name, one.value]));
  const filled = (one) => (one.options ? ([...one.options].find((option) => option.defaultSelected) || one.options[0] || {}).value : one.defaultValue);
  const clock = (text) => text.replace(/(T\d\d:\d\d):00$/, "$1"); // browsers leave out seconds that are none
  const isTouched = (form) => fields(form).some((one) => one.type !== "hidden" && clock(one.value) !== clock(filled(one)));
  const keep = (form) => drafts.write(slot(form), isTouched(form) ? values(form) : null);
  const known = new WeakSet();
  const say = (form, text, act) => {
    const old = form.querySelector(".draft-note");
    const note = old || document.createElement("p");
    note.className = "draft-note";
    note.setAttribute("role", "status");
    note.replaceChildren(text, ...(act ? [" ", act] : []));
    if (!old) form.append(note);
  };
  // The version that was read comes back too: what others saved since is put together with what was typed.
  const restore = (form) => {
    if (known.has(form)) return;
    known.add(form);
    if ("answered" in form.dataset) { drafts.write(slot(form), values(form)); return; } // what was typed, sent back
    if (isTouched(form)) { keep(form); return; } // before this script was there
    const draft = drafts.read(slot(form));
    if (!draft) return;
    for (const one of fields(form)) if (typeof draft[one.name] === "string") one.value = draft[one.name];
    const fold = form.closest("details");
    if (fold) fold.open = true;
    const discard = document.createElement("button");
    discard.type = "button";
    discard.className = "quiet";
    discard.textContent = "Discard it";
    discard.addEventListener("click", () => { drafts.write(slot(form), null); location.reload(); });
    say(form, "This was typed here and not saved.", discard);
  };
  const scan = () => { for (const form of document.querySelectorAll("form[data-draft]")) restore(form); };

  const go = (url) => {
    const to = new URL(url, location.href);
    if (to.pathname + to.search !== location.pathname + location.search) { location.assign(to); return; }
    history.replaceState(null, "", to);
    location.reload();
  };
  const send = async (form, button) => {
    if (form.ariaBusy === "true") return;
    form.ariaBusy = "true";
    keep(form);
    try {
      const answer = await fetch(form.action, { method: "POST", body: new FormData(form, button), headers: { Accept: "application/json" } });
      if (answer.ok) {
        const reply = answer.status === 204 ? {} : await answer.json();
        drafts.write(slot(form), null);
        go(reply.url || form.dataset.draftTo);
        return;
      }
      if (answer.status < 500) { // nothing was saved: the page says why
        form.dataset.plain = "";
        form.requestSubmit(button);
        return;
      }
      throw new TypeError();
    } catch { say(form, "The server does not answer. What you wrote is kept in this browser: try again."); }
    form.ariaBusy = null;
  };

  document.addEventListener("input", (event) => { const form = event.target.closest("form[data-draft]"); if (form) keep(form); });
  document.addEventListener("submit", (event) => {
    const { target: form, submitter: button } = event;
    if (!form.matches("form[data-draft]") || "plain" in form.dataset) return;
    const name = button && button.name;
    if (name && name !== "suggest") return; // a preview
    event.preventDefault();
    send(form, name ? button : null);
  });
  document.addEventListener("keydown", (event) => {
    const form = event.key === "Enter" && (event.ctrlKey || event.metaKey) && event.target.closest("form[data-draft]");
    if (form) { event.preventDefault(); form.requestSubmit(); }
  });
  for (const name of ["view-changed", "htmx:afterSwap"]) document.addEventListener(name, scan);
  scan();
})();
