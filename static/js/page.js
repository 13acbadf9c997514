// What is shown (basis, changed only, threshold), kept in the address; dialogs and keys.
(() => {
  "use strict";
  const body = document.body;
  const $ = (selector, from = document) => from.querySelector(selector);
  const $$ = (selector, from = document) => [...from.querySelectorAll(selector)];
  const address = new URL(location.href);
  const named = address.searchParams.has("pair"); // of more than two reports always
  const state = {
    basis: body.dataset.basis || "s",
    changed: $("[data-changed]") ? $("[data-changed]").getAttribute("aria-pressed") === "true" : body.dataset.changedOnly !== "false",
    pair: body.dataset.pair || "0",
    step: body.dataset.material || "",
  };
  const COOKIE = body.dataset.materialCookie; // query_options.py names it

  // The parameters every section request carries; the same go into the address.
  const parameters = () => {
    const query = {};
    if (state.basis !== body.dataset.defaultBasis) query.basis = state.basis;
    if (!state.changed) query.all = "1";
    if (state.pair !== "0" || named) query.pair = state.pair;
    if (state.step) query.material = state.step;
    return query;
  };

  // The address says what is shown to whoever opens it: a threshold of one's own only where there is one.
  const ownStep = () => state.step && (state.step !== body.dataset.defaultMaterial || document.cookie.includes(`${COOKIE}=`));
  const place = () => {
    const shown = { ...parameters(), ...(window.awr && window.awr.folds ? window.awr.folds() : {}) };
    if (!ownStep()) delete shown.material;
    for (const name of ["basis", "all", "pair", "material"]) address.searchParams.delete(name);
    for (const [name, value] of Object.entries(shown)) if (value) address.searchParams.set(name, value); else address.searchParams.delete(name);
    const panel = new URL(location.href).searchParams.get("panel"); // panel.js keeps it there
    if (panel) address.searchParams.set("panel", panel); else address.searchParams.delete("panel");
    address.hash = location.hash;
    return address;
  };
  const remember = () => history.replaceState(null, "", place());

  const changed = () => {
    if (window.awr.keepPlace) window.awr.keepPlace();
    remember();
    document.dispatchEvent(new CustomEvent("view-changed"));
  };

  const setBasis = (basis) => {
    state.basis = basis;
    $$(".seg [data-basis]").forEach((b) => b.setAttribute("aria-pressed", String(b.dataset.basis === basis)));
    changed();
  };

  const toggleChanged = (value = !state.changed) => {
    state.changed = value;
    const button = $("[data-changed]");
    if (button) button.setAttribute("aria-pressed", String(value));
    changed();
  };

  // Another threshold: what follows from it is asked for anew; the reader, what they opened and the tables stay.
  const BY_STEP = "#time, #ranked, #rail, .hidden-rows, .sec > h3 > small";
  const setStep = async (step, kept) => {
    if (kept) document.cookie = `${COOKIE}=${step}; path=${body.dataset.home}; max-age=31536000; samesite=lax${location.protocol === "https:" ? "; secure" : ""}`;
    state.step = body.dataset.material = String(step);
    $$("[data-material-choice]").forEach((select) => { select.value = state.step; });
    const old = $$(BY_STEP);
    try {
      const answer = await fetch(place(), { headers: { Accept: "text/html" } });
      const made = new DOMParser().parseFromString(await answer.text(), "text/html");
      const fresh = $$(BY_STEP, made);
      if (!answer.ok || fresh.length !== old.length) throw new Error(String(answer.status));
      if (window.awr.keepPlace) window.awr.keepPlace();
      old.forEach((element, at) => element.replaceChildren(...fresh[at].childNodes));
      changed();
    } catch { location.assign(place()); }
  };

  // The next larger or smaller threshold.
  const stepBy = (by) => {
    const select = $("[data-material-choice]");
    const next = select && select.options[select.selectedIndex + by];
    if (next) setStep(next.value, true);
  };

  document.addEventListener("click", (event) => {
    const at = (selector) => event.target.closest(selector);
    if (at(".seg [data-basis]")) setBasis(at("[data-basis]").dataset.basis);
    else if (at("[data-changed]")) toggleChanged();
    else if (at("[data-material-to]")) { event.preventDefault(); setStep(at("[data-material-to]").dataset.materialTo, false); }
    else if (at("[data-close]")) at("dialog").close();
    else if (at(".rail-button")) railMenu();
    else if (at(".rail a")) railMenu(false);
  });
  document.addEventListener("change", (event) => {
    if (event.target.matches("[data-material-choice]")) setStep(event.target.value, true);
    if (!event.target.matches("[data-pair-choice]")) return;
    state.pair = event.target.value;
    const next = new URL(place());
    const link = $(".rail a[aria-current]"); // the other pair opens where this one is being read
    next.hash = link && scrollY > 200 ? link.getAttribute("href") : "";
    location.assign(next);
  });
  // A page that Back brings out of the browser's memory shows what its address says, not what was chosen last.
  addEventListener("pageshow", () => {
    for (const [select, value] of [["[data-pair-choice]", body.dataset.pair], ["[data-material-choice]", body.dataset.material]]) {
      if ($(select) && value !== undefined) $(select).value = value;
    }
    $$("form[data-as-sent]").forEach((form) => form.reset());
    state.pair = body.dataset.pair || "0";
    state.step = body.dataset.material || "";
  });

  // On a narrow window the list of sections lies under the tools, which have to be at the top for that.
  const scrollIntoTools = () => {
    const row = $(".tools-row");
    const top = row.getBoundingClientRect().top;
    if (top > 0) scrollBy({ top });
  };

  const railMenu = (open) => {
    const rail = $("#rail");
    const button = $(".rail-button");
    if (open === undefined) scrollIntoTools();
    const now = rail.classList.toggle("open", open);
    button.setAttribute("aria-expanded", String(now));
  };

  const submitSwap = () => { const form = $("#swap"); if (form) form.requestSubmit(); };
  const keys = {
    "/": () => { const field = $("#q"); if (document.dispatchEvent(new CustomEvent("find", { cancelable: true })) && field) { field.focus(); field.select(); } },
    u: () => { if ($("[data-changed]")) toggleChanged(); },
    "+": () => stepBy(1),
    "-": () => stepBy(-1),
    s: submitSwap,
    1: () => { if ($(".seg")) setBasis("s"); },
    2: () => { if ($(".seg")) setBasis("txn"); },
    3: () => { if ($(".seg")) setBasis("total"); },
    e: () => document.dispatchEvent(new CustomEvent("open-export")),
    a: () => { const choice = $("[data-baseline]"); if (choice) choice.focus(); },
    c: () => { const link = $("[data-commit]"); if (link) link.click(); },
    x: () => document.dispatchEvent(new CustomEvent("section-table")),
    X: () => document.dispatchEvent(new CustomEvent("section-csv")),
    y: () => document.dispatchEvent(new CustomEvent("copy-link")),
    t: () => { scrollTo({ top: 0 }); $("#main").focus({ preventScroll: true }); },
    j: () => document.dispatchEvent(new CustomEvent("section-step", { detail: 1 })),
    k: () => document.dispatchEvent(new CustomEvent("section-step", { detail: -1 })),
    o: () => document.dispatchEvent(new CustomEvent("section-toggle")),
  };
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog[open]")) return;
    if (event.target.matches("input, select, textarea")) return;
    const action = keys[event.key];
    if (!action) return;
    event.preventDefault();
    action();
  });

  // The rail and sticky heads start under the bar, whatever its height is after wrapping.
  const tops = $$(".top");
  const measure = () => {
    let height = 0;
    for (const el of tops) {
      if (getComputedStyle(el).position !== "sticky") continue;
      el.style.top = `${height}px`;
      height += el.getBoundingClientRect().height;
    }
    // Rounded down: what sticks below lies a fraction under the bar, so that no line of text shows between.
    if (height) document.documentElement.style.setProperty("--top", `${Math.floor(height)}px`);
  };
  const sizes = new ResizeObserver(measure);
  for (const el of [document.documentElement, ...tops]) sizes.observe(el);
  measure();

  // A row's name marks the same object in every section.
  document.addEventListener("click", (event) => {
    if (event.target.closest(".under")) return; // heads.js opens it
    const name = event.target.closest(".fig tbody th");
    if (!name || event.target.closest("a") || String(getSelection())) return;
    const wanted = name.firstChild.textContent.trim();
    const lit = !name.parentElement.classList.contains("lit");
    window.awr.lit = lit ? wanted : null;
    window.awr.light();
  });

  window.awr = {
    state, parameters, place, remember, lit: null,
    light() {
      $$(".fig tbody tr").forEach((row) => {
        const head = row.querySelector("th");
        if (head) row.classList.toggle("lit", Boolean(this.lit) && head.firstChild.textContent.trim() === this.lit);
      });
    },
  };
  if (ownStep()) history.replaceState(null, "", place());
})();
