// One request per file, with its progress; then the stages the server reports; then the comparison.
(() => {
  "use strict";
  const form = document.getElementById("upload");
  const input = document.getElementById("files");
  const drop = document.getElementById("drop");
  const list = document.getElementById("file-list");
  const outcome = document.getElementById("outcome");
  const template = document.getElementById("file-template");
  // Of this page: what is added is compared with them, but for one that it replaces.
  const partners = () => (form.dataset.with || "").split(" ").filter((one, place) => one && String(place) !== form.dataset.leaveOut);
  const partner = () => partners().length;
  const dialog = form.closest("dialog"); // on the page of a comparison
  const most = Number(form.dataset.maxBytes);
  const patience = 4000; // ms: what takes longer is waited for on its own page
  const files = [];
  let early = null; // resolves to the comparison that was asked for before its files were read, `made`: once it is done
  let dropped = null; // likewise, where another file came
  drop.classList.add("js");

  const csrf = () => form.querySelector("[name=csrfmiddlewaretoken]").value;
  const size = (bytes) => (bytes < 1024 ? `${bytes} B` : bytes < 1048576 ? `${(bytes / 1024).toFixed(0)} kB` : `${(bytes / 1048576).toFixed(1)} MB`);

  const show = (item, state, status, what) => {
    item.state = state;
    item.row.className = `file ${state === "failed" ? "bad" : state === "ready" ? "good" : ""}`;
    item.row.querySelector(".status").textContent = status;
    const line = item.row.querySelector(".what");
    line.textContent = what || "";
    if (state === "failed") line.setAttribute("role", "alert"); else line.removeAttribute("role");
    const bar = item.row.querySelector("progress");
    bar.hidden = state === "failed" || state === "ready";
    if (state === "reading") bar.removeAttribute("value");
    update();
  };

  const send = (item) => window.reading.send(form.dataset.reportUrl, csrf(), item.file, (percent) => {
    item.row.querySelector("progress").value = percent;
    item.row.querySelector(".status").textContent = percent < 100 ? `uploading ${percent} %` : "uploaded";
  }, item.stopped.signal);

  const take = async (item) => {
    if (item.file.size === 0) return show(item, "failed", "refused", "The file is empty: copy it again, or have the report written again.");
    if (item.file.size > most) return show(item, "failed", "refused", `The file is ${size(item.file.size)}; this server takes at most ${form.dataset.maxText}. Whoever runs it can let it take more.`);
    show(item, "sending", "waiting to be sent", "");
    try {
      const made = await send(item);
      if (item.stopped.signal.aborted) return;
      if (!made.reports) { item.made = made; askEarly(); }
      await (made.reports ? unpack(item, made) : read(item, made));
    } catch (problem) {
      show(item, "failed", "not read", problem.message);
    }
    return item.stopped.signal.aborted || finish();
  };

  const discard = (item) => {
    item.row.remove();
    if (files.includes(item)) files.splice(files.indexOf(item), 1);
  };

  // Taken back before it is compared. What is left is compared when somebody says so.
  const takeBack = (item) => {
    item.stopped.abort();
    discard(item);
    giveUp();
    if (files.length) finish(false); else outcome.replaceChildren();
    input.focus();
  };

  // An archive: a line for each of its files, in place of its own.
  const unpack = (item, made) => {
    if (window.folders?.takes(made.reports.length)) { discard(item); return window.folders.follow(made); }
    const all = lines(made.reports);
    lines(made.refused).forEach(([one, { error }]) => show(one, "failed", "refused", error));
    made.left_out.forEach(({ name, error }) => aside(name, error));
    discard(item);
    return Promise.all(all.map(([one, stored]) => read(one, stored)));
  };

  const lines = (reports) => reports.map((one) => [line({ name: one.name }, one.name), one]);

  // A file beside the reports that is none: named, and no hindrance to comparing them.
  const aside = (name, error) => {
    const row = template.content.firstElementChild.cloneNode(true);
    row.querySelector(".name").textContent = name;
    row.querySelector(".status").textContent = "left out";
    row.querySelector(".what").textContent = error;
    row.querySelector("progress").hidden = true;
    row.querySelector(".take-back").remove();
    list.append(row);
  };

  const read = async (item, made) => {
    show(item, "reading", "queued", "");
    try {
      const report = await window.reading.follow(made, (stage) => show(item, "reading", stage, ""));
      if (report.parts.length) await takeApart(item, report); else settle(item, made, report);
    } catch (problem) {
      if (problem.code === "left-out") { aside(item.file.name, problem.message); discard(item); }
      else show(item, "failed", "not read", problem.message);
    }
  };

  // A file that turned out to hold several reports: a line for each.
  const takeApart = (item, report) => {
    const parts = lines(report.parts);
    discard(item);
    return Promise.all(parts.map(([one, stored]) => read(one, stored)));
  };

  const settle = (item, made, report) => {
    item.report = report;
    item.id = made.id;
    const same = files.find((other) => other !== item && other.report && other.report.sha256 === report.sha256);
    show(item, "ready", "read", same ? `${report.said} · the same file as ${same.file.name}` : report.said);
    item.row.querySelector(".name").replaceChildren(link(item.file.name, made.url));
  };

  const button = (text, cls, act) => {
    const made = document.createElement("button");
    made.type = "button";
    made.className = cls;
    made.textContent = text;
    made.addEventListener("click", act);
    return made;
  };

  const link = (text, url) => {
    const made = document.createElement("a");
    made.href = url;
    made.textContent = text;
    return made;
  };

  // Two plain files that are new to the server: their comparison waits for them there, and is withdrawn there where they
  // turn out to be anything else. Whatever is not surely this case is asked for once all are read.
  const askEarly = () => {
    if (early || partner() || form.dataset.attachUrl || files.length !== 2 || !files.every(isPlain)) return;
    if (files[0].made.sha256 === files[1].made.sha256) return;
    early = ask(files.map((f) => f.made.id), { provisional: "yes" }).then((asked) => ({ ...asked, made: window.reading.compared(asked) })).catch(() => null);
  };

  const isPlain = (f) => f.made && f.made.state === "pending" && f.state !== "failed" && !/\.(trc|csv)$/i.test(f.file.name) && !(f.report && isTrace(f));

  const busy = () => files.some((f) => !["ready", "failed"].includes(f.state));
  const ready = () => files.filter((f) => f.state === "ready");
  const isTrace = (f) => f.report.kind === "lgwr_trace";

  const update = () => {
    if (!busy()) return;
    outcome.replaceChildren(`${ready().length} of ${files.length} read`);
  };

  // Oracle's own compare report alone is a comparison of its two periods.
  const holdsTwo = (good) => good.length === 1 && good[0].report.kind === "awr_compare";

  const finish = (byItself = true) => {
    if (busy()) return;
    const good = ready();
    const bad = files.length - good.length;
    const alone = good.filter((f) => !isTrace(f));
    const twice = partner() === 0 && alone.length === 2 && alone[0].report.sha256 === alone[1].report.sha256;
    if (bad || alone.length !== 2 || files.length !== 2) giveUp();
    outcome.replaceChildren();
    if (form.dataset.attachUrl && good.length && !alone.length && !bad) { attach(good, form.dataset.attachUrl); return; }
    const enough = good.length + partner() >= 2;
    if (good.length > alone.length && alone.length + partner() < 2) { tooFew(alone, bad, good.filter(isTrace)); return; }
    if (dialog && alone.length > 1 && !bad) { askWith(good); return; }
    if (form.dataset.seriesUrl && !dialog && alone.length >= Number(form.dataset.seriesFrom)) { offerSeries(good); return; }
    if (((good.length && enough) || holdsTwo(good)) && !bad && byItself && !twice) { compare(good); return; }
    if (good.length && enough) {
      const note = twice ? "Both are the same report. " : bad ? `${bad} of ${files.length} files could not be read. ` : "";
      const all = good.length === 1 ? "Compare the one that was read" : `Compare the ${good.length} that were read`;
      outcome.append(note, button(twice ? "Compare it with itself" : all, "primary", () => compare(good)));
    } else if (good.length === 1) {
      outcome.append("One report is read. Add another to compare it with, or ", link("look at it alone", good[0].report.url), ".");
    } else outcome.append("No file could be read.");
  };

  window.series = (ids) => offerSeries(ids.map((id) => ({ id })));

  // So many are not one comparison: the server says of which databases they are, and makes one of each.
  const offerSeries = async (good) => {
    outcome.replaceChildren("Sorting by database…");
    try {
      const data = new FormData();
      good.forEach((f) => data.append("report", f.id));
      const answer = await fetch(form.dataset.seriesUrl, { method: "POST", body: data, headers: { "X-CSRFToken": csrf() } });
      if (!answer.ok) throw new Error(`The server answered ${answer.status}.`);
      const page = new DOMParser().parseFromString(await answer.text(), "text/html");
      const series = document.adoptNode(page.getElementById("series"));
      document.getElementById("series")?.remove();
      const bad = files.filter((f) => f.state === "failed").length;
      outcome.replaceChildren(...(bad ? [`${bad} of ${files.length} files could not be read. `] : []));
      form.after(series);
      series.scrollIntoView({ block: "start" });
      series.querySelector("button")?.focus({ preventScroll: true });
    } catch (problem) { wrong(problem); }
  };

  const tooFew = (alone, bad, traces) => {
    const reports = alone.length;
    const unread = bad ? `${bad} of ${files.length} files could not be read. ` : "";
    const add = reports ? "Add another report." : "Add the two reports.";
    outcome.append(`${unread}An LGWR trace is attached to a comparison, it is not compared: two reports are needed beside it. ${add}`);
    if (reports !== 1 || bad) return;
    const [{ report: { url } }] = alone;
    outcome.append(" ", button("Look at the report alone, with the trace", "", () => attach(traces, `${url}traces/`, () => location.assign(url))));
  };

  // Several reports dropped on a comparison: nobody but the reader knows whether they belong to it.
  const askWith = (good) => {
    const first = button("Compare with the reports of this page", "primary", () => compare(good, true));
    outcome.replaceChildren(first, button("Compare these alone", "", () => compare(good, false)));
    first.focus();
  };

  // LGWR traces alone belong to the comparison or the report on the page.
  const attach = async (traces, url, then = () => location.reload()) => {
    outcome.replaceChildren("Attaching…");
    try {
      for (const trace of traces) {
        const data = new FormData();
        data.append("report", trace.id);
        const answer = await fetch(url, { method: "POST", body: data, headers: { Accept: "application/json", "X-CSRFToken": csrf() } });
        if (!answer.ok) throw new Error((await answer.json()).error || `The server answered ${answer.status}.`);
      }
      then();
    } catch (problem) { wrong(problem); }
  };

  const wrong = (problem) => {
    const alert = document.createElement("span");
    alert.className = "error";
    alert.setAttribute("role", "alert");
    alert.textContent = problem.message;
    outcome.replaceChildren(alert);
  };

  const compare = async (good, together = true) => {
    outcome.replaceChildren("Comparing…");
    try {
      const asked = await early;
      const instead = await dropped;
      const ids = [...(together ? partners() : []), ...good.map((f) => f.id)];
      const wanted = asked || (await ask(ids, { instead_of: instead?.id || "", replaces: together && form.dataset.leaveOut ? form.dataset.comparison : "" }));
      await Promise.race([asked ? asked.made : window.reading.compared(wanted), window.reading.wait(patience)]);
      if (good.every((f) => files.includes(f)) && good.length === ready().length && !busy()) location.assign(wanted.url);
    } catch (problem) { wrong(problem); }
  };

  const ask = async (ids, more = {}) => {
    const data = new FormData();
    ids.forEach((id) => data.append("report", id));
    Object.entries({ order: "time", ...more }).forEach(([name, value]) => data.append(name, value));
    const answer = await fetch(form.dataset.comparisonUrl, { method: "POST", body: data, headers: { Accept: "application/json", "X-CSRFToken": csrf() } });
    const made = await answer.json();
    if (!answer.ok) throw new Error(made.error || `The server answered ${answer.status}.`);
    return made;
  };

  const line = (file, text) => {
    const row = template.content.firstElementChild.cloneNode(true);
    row.querySelector(".name").textContent = text;
    list.append(row);
    const item = { file, row, state: "new", stopped: new AbortController() };
    const back = row.querySelector(".take-back");
    back.setAttribute("aria-label", `Remove ${file.name}`);
    back.addEventListener("click", () => takeBack(item));
    files.push(item);
    return item;
  };

  // Another file came: the comparison of the first two goes when that of all is asked for.
  const giveUp = () => { dropped = early || dropped; early = null; };

  const add = (chosen) => {
    if (window.folders?.takes(chosen.length)) { window.folders.take([...chosen]); return; }
    giveUp();
    const added = [...chosen].map((file) => line(file, `${file.name} · ${size(file.size)}`));
    added.forEach(take);
    if (added.length && !busy()) finish();
  };

  window.uploads = { add };

  const unreadable = (problem) => window.folders.alarm(`The folder could not be read: ${problem.message}`);

  input.addEventListener("change", () => { add(input.files); input.value = ""; });
  window.folders?.input.addEventListener("change", ({ target }) => { add([...target.files].filter(window.folders.visible)); target.value = ""; });

  // What is chosen is added to the page's reports, or takes the place of the one whose button was pressed.
  const openFor = (pressed) => {
    form.dataset.leaveOut = pressed?.dataset.replace || "";
    dialog.querySelector("h2").textContent = form.dataset.leaveOut ? pressed.getAttribute("aria-label") : "Add reports";
    dialog.showModal();
  };
  if (dialog) document.addEventListener("click", (event) => {
    const pressed = event.target.closest("[data-dropped]");
    if (!pressed) return;
    pressed.closest("details").open = false;
    openFor(pressed);
  });

  // Files may be dropped anywhere on the page; one that was let go beside the box used to replace the page.
  let inside = 0;
  const over = (yes) => { drop.classList.toggle("over", yes); document.body.classList.toggle("dropping", yes); };
  const carriesFiles = (event) => Boolean(event.dataTransfer) && [...event.dataTransfer.types].includes("Files");
  addEventListener("dragenter", (event) => { if (carriesFiles(event)) { inside += 1; over(true); } });
  addEventListener("dragleave", (event) => { if (carriesFiles(event)) { inside = Math.max(0, inside - 1); over(inside > 0); } });
  addEventListener("dragover", (event) => { if (carriesFiles(event)) event.preventDefault(); });
  addEventListener("drop", (event) => {
    inside = 0;
    over(false);
    if (!carriesFiles(event)) return;
    event.preventDefault();
    if (dialog && !dialog.open) { document.querySelectorAll("dialog[open]").forEach((one) => one.close()); openFor(null); }
    drop.scrollIntoView({ block: "center" });
    const folders = window.folders?.dropped(event.dataTransfer);
    if (folders) folders.then(add, unreadable); else add(event.dataTransfer.files);
  });
})();
