// Folders, and more files at once than anybody looks at one by one: they are counted, and only what is refused has a line.
// What the server has is known by its bytes: after a reload the folder is chosen once more, and only the rest is sent.
window.folders = (() => {
  "use strict";
  const form = document.getElementById("upload");
  const { knownUrl, libraryUrl, reportUrl, maxBytes, maxText } = form?.dataset || {};
  if (!knownUrl) return null;
  const asked = 50; // digests in one question
  const sortable = 900; // reports in one form: the server takes 1,000 fields
  const kept = "awrdiff.many"; // in this tab, until it is closed
  const element = (tag, properties, ...children) => {
    const one = Object.assign(document.createElement(tag), properties);
    one.append(...children);
    return one;
  };
  const list = document.getElementById("file-list");
  const said = element("span");
  const bar = element("progress", { max: 1, value: 0 });
  bar.setAttribute("aria-label", "Sent and read");
  const stop = element("button", { type: "button", textContent: "Stop" });
  const box = element("div", { className: "many", id: "many", hidden: true }, said, bar, stop);
  const choose = element("button", { type: "button", className: "quiet", textContent: "Choose a folder…" });
  const input = element("input", { type: "file", id: "folder", webkitdirectory: true, multiple: true, hidden: true });
  document.getElementById("drop").after(element("p", { className: "folder dim" }, choose, input));
  list.before(box);
  const outcome = document.getElementById("outcome");
  const template = document.getElementById("file-template");
  let run = null;

  const wait = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
  const count = (number, one, many = `${one}s`) => `${number.toLocaleString("en")} ${number === 1 ? one : many}`;
  const csrf = () => form.querySelector("[name=csrfmiddlewaretoken]").value;

  // Every file of what was dropped, or null where there is no folder among it.
  const dropped = (transfer) => {
    const entries = [...transfer.items].map((item) => item.webkitGetAsEntry?.()).filter(Boolean);
    return entries.some((one) => one.isDirectory) ? inside(entries) : null;
  };

  const inside = async (entries) => {
    const found = [];
    for (const one of entries) {
      if (one.name.startsWith(".")) continue;
      if (one.isFile) { found.push(await new Promise((resolve, reject) => one.file(resolve, reject))); continue; }
      const reader = one.createReader(); // gives a hundred at a time
      for (;;) {
        const some = await new Promise((resolve, reject) => reader.readEntries(resolve, reject));
        if (!some.length) break;
        found.push(...await inside(some));
      }
    }
    return found;
  };

  const visible = (file) => !(file.webkitRelativePath || file.name).split("/").some((part) => part.startsWith("."));

  const begin = (total) => {
    run = { total, there: 0, fresh: 0, refused: 0, read: 0, ids: [], open: new Map(), sent: false, stopped: new AbortController() };
    outcome.replaceChildren();
    document.getElementById("series")?.remove();
    box.hidden = false;
    stop.hidden = false;
  };

  const show = () => {
    const done = run.there + run.fresh + run.refused;
    const parts = [`${run.total === done ? count(done, "file") : `${done.toLocaleString("en")} of ${count(run.total, "file")}`} sent`, `${run.there.toLocaleString("en")} were here already`, `${run.read.toLocaleString("en")} read`];
    if (run.refused) parts.push(`${run.refused.toLocaleString("en")} refused`);
    said.textContent = parts.join(" · ");
    bar.max = 2 * run.total;
    bar.value = done + run.read + run.refused;
    if (done < run.total) sessionStorage.setItem(kept, JSON.stringify({ done, total: run.total })); else sessionStorage.removeItem(kept);
  };

  const refuse = (name, why) => {
    const row = template.content.firstElementChild.cloneNode(true);
    row.classList.add("bad");
    row.querySelector(".name").textContent = name;
    row.querySelector(".status").textContent = "refused";
    row.querySelector(".what").textContent = why;
    row.querySelector("progress").remove();
    row.querySelector(".take-back").remove();
    list.append(row);
    run.refused += 1;
  };

  // Of a page without HTTPS there are no digests: everything is sent, and the server says what it had.
  const digest = async (file) => {
    if (!crypto.subtle) return "";
    const bytes = new Uint8Array(await crypto.subtle.digest("SHA-256", await file.arrayBuffer()));
    return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
  };

  const known = async (digests) => {
    const wanted = digests.filter(Boolean);
    if (!wanted.length) return {};
    const data = new FormData();
    wanted.forEach((one) => data.append("sha256", one));
    const answer = await fetch(knownUrl, { method: "POST", body: data, headers: { Accept: "application/json", "X-CSRFToken": csrf() } });
    if (!answer.ok) throw new Error(`The server answered ${answer.status}.`);
    return (await answer.json()).known;
  };

  const alone = async (url) => {
    const answer = await fetch(url, { headers: { Accept: "application/json" }, cache: "no-store" });
    if (!answer.ok) throw new Error(`The server answered ${answer.status}.`);
    return answer.json();
  };

  const taken = (name, made, here) => {
    if (here) run.there += 1; else run.fresh += 1;
    settle({ name, here }, made);
  };

  const settle = (file, made) => {
    if (made.state === "ready") { run.read += 1; run.ids.push(made.id); run.open.delete(made.sha256); return; }
    if (made.state !== "failed") { run.open.set(made.sha256, { ...file, url: made.url }); return; }
    run.open.delete(made.sha256);
    if (file.here) run.there -= 1; else run.fresh -= 1;
    refuse(file.name, made.error);
  };

  const one = async (file, digested, found) => {
    const name = file.webkitRelativePath || file.name;
    const there = found[digested];
    if (there) { taken(name, there, true); return; }
    if (!file.size) { refuse(name, "The file is empty."); return; }
    if (file.size > Number(maxBytes)) { refuse(name, `It is larger than ${maxText}, the most this server takes.`); return; }
    for (let attempt = 0; ; attempt += 1) {
      try {
        const made = await window.reading.send(reportUrl, csrf(), file, () => {}, run.stopped.signal, { bulk: "yes" });
        if (made.reports) unpacked(made); else taken(name, made, made.state === "ready");
        return;
      } catch (problem) {
        if (run.stopped.signal.aborted) return;
        if (problem.status === 507) throw problem; // the disk is full
        const again = problem.status === 429 || ((!problem.status || problem.status >= 502) && attempt < 6);
        if (!again) { refuse(name, problem.message); return; }
        await wait(1000 * (problem.retry || 2 ** Math.min(attempt, 5)));
      }
    }
  };

  const unpacked = (made) => {
    run.total += made.reports.length + made.refused.length + made.left_out.length - 1;
    made.reports.forEach((report) => taken(report.name, report, report.state === "ready"));
    [...made.refused, ...made.left_out].forEach(({ name, error }) => refuse(name, error));
  };

  // One after the other, whatever is dropped meanwhile.
  let last = Promise.resolve();
  const take = (chosen) => { last = last.then(() => takeAll(chosen)); return last; };
  const follow = (made) => { last = last.then(() => followAll(made)); return last; };

  const takeAll = async (chosen) => {
    const files = chosen.filter(visible);
    begin(files.length);
    show();
    const reading = read();
    try {
      for (let at = 0; at < files.length && !run.stopped.signal.aborted; at += asked) {
        const some = files.slice(at, at + asked);
        const digests = [];
        for (const file of some) digests.push(await digest(file));
        const found = await known(digests);
        await Promise.all(some.map((file, place) => one(file, digests[place], found).then(show)));
      }
    } catch (problem) { wrong(problem); return; } finally { run.sent = true; }
    await reading;
    finish();
  };

  // The files of one archive, which the server has taken out.
  const followAll = async (made) => {
    begin(1);
    run.sent = true;
    unpacked(made);
    await read();
    finish();
  };

  // What was sent, until it is read.
  const read = async () => {
    const mine = run;
    while (!mine.stopped.signal.aborted && (!mine.sent || mine.open.size)) {
      await wait(mine.open.size ? 1000 : 300);
      const some = [...mine.open.keys()].slice(0, asked);
      let found = {};
      try {
        found = await known(some);
        // What cannot be read, and a file of several reports, is told by itself alone.
        for (const sha of some) if (!found[sha]) found[sha] = await alone(mine.open.get(sha).url);
      } catch { await wait(2000); }
      some.filter((sha) => found[sha]).forEach((sha) => settle(mine.open.get(sha), found[sha]));
      // Those that still wait are asked for after the others.
      some.filter((sha) => mine.open.has(sha)).forEach((sha) => { const file = mine.open.get(sha); mine.open.delete(sha); mine.open.set(sha, file); });
      if (mine === run) show();
    }
  };

  const link = (text, url) => Object.assign(document.createElement("a"), { href: url, textContent: text });

  const finish = () => {
    show();
    stop.hidden = true;
    const stopped = run.stopped.signal.aborted;
    const whole = stopped ? "Stopped. What was sent stays, and is not sent again. " : `${count(run.read, "report is", "reports are")} read. `;
    outcome.replaceChildren(whole);
    if (!stopped && run.ids.length > 1 && run.ids.length <= sortable) {
      const sort = Object.assign(document.createElement("button"), { type: "button", className: "primary", textContent: "Sort them by database and instance" });
      const ids = [...run.ids];
      sort.addEventListener("click", () => window.series(ids));
      outcome.append(sort);
    }
    outcome.append(link("See all reports by database", libraryUrl));
  };

  const wrong = (problem) => {
    stop.hidden = true;
    const told = Object.assign(document.createElement("span"), { className: "error", textContent: `${problem.message} Choose the folder again: what is here is not sent again.` });
    told.setAttribute("role", "alert");
    outcome.replaceChildren(told);
  };

  stop.addEventListener("click", () => run.stopped.abort());
  choose.addEventListener("click", () => input.click());

  const left = JSON.parse(sessionStorage.getItem(kept) || "null");
  if (left) outcome.append(`${left.done.toLocaleString("en")} of ${count(left.total, "file")} were sent before this page was left. Choose the folder again: what is here is not sent again.`);

  return { takes: (number) => number > Number(form.dataset.listed), take, follow, dropped, input, visible };
})();
