// Folders, and more files at once than anybody looks at one by one: they are counted, and only what is refused has a line.
// What the server has is known by its bytes: after a reload the folder is chosen once more, and only the rest is sent.
window.folders = (() => {
  "use strict";
  const form = document.getElementById("upload");
  const { knownUrl, libraryUrl, reportUrl, maxBytes, maxText } = form?.dataset || {};
  if (!knownUrl) return null;
  const asked = 50; // digests in one question
  const sortable = 900; // reports in one form: the server takes 1,000 fields
  const again = "Choose the folder again: what is here is not sent again.";
  const kept = "awrdiff.many"; // in this tab, until it is closed
  const element = (tag, properties, ...children) => {
    const one = Object.assign(document.createElement(tag), properties);
    one.append(...children);
    return one;
  };
  const list = document.getElementById("file-list");
  const status = element("span");
  const bar = element("progress", { max: 1, value: 0 });
  bar.setAttribute("aria-label", "Sent and read");
  const stop = element("button", { type: "button", textContent: "Stop" });
  const box = element("div", { className: "many", id: "many", hidden: true }, status, bar, stop);
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
    const files = [];
    for (const one of entries) {
      if (one.name.startsWith(".")) continue;
      if (one.isFile) { files.push(await new Promise((resolve, reject) => one.file(resolve, reject))); continue; }
      const reader = one.createReader(); // gives a hundred at a time
      for (;;) {
        const some = await new Promise((resolve, reject) => reader.readEntries(resolve, reject));
        if (!some.length) break;
        files.push(...await inside(some));
      }
    }
    return files;
  };

  const visible = (file) => !(file.webkitRelativePath || file.name).split("/").some((part) => part.startsWith("."));

  // `open`: by digest, the files that wait to be read; equal files are one report.
  const begin = (total) => {
    run = { total, there: 0, fresh: 0, refused: 0, read: 0, ids: new Set(), open: new Map(), sent: false, stopped: new AbortController() };
    outcome.replaceChildren();
    document.getElementById("series")?.remove();
    box.hidden = false;
    stop.hidden = false;
    show(run);
    return run;
  };

  const show = (mine) => {
    if (mine !== run) return;
    const done = run.there + run.fresh + run.refused;
    const parts = [`${run.total === done ? count(done, "file") : `${done.toLocaleString("en")} of ${count(run.total, "file")}`} sent`, `${run.there.toLocaleString("en")} already here`, `${run.read.toLocaleString("en")} read`];
    if (run.refused) parts.push(`${run.refused.toLocaleString("en")} refused`);
    status.textContent = parts.join(" · ");
    bar.max = 2 * run.total;
    bar.value = done + run.read + run.refused;
    if (done < run.total) sessionStorage.setItem(kept, JSON.stringify({ done, total: run.total })); else sessionStorage.removeItem(kept);
  };

  const refuse = (mine, name, why) => {
    const row = template.content.firstElementChild.cloneNode(true);
    row.classList.add("bad");
    row.querySelector(".name").textContent = name;
    row.querySelector(".status").textContent = "refused";
    row.querySelector(".what").textContent = why;
    row.querySelector("progress").remove();
    row.querySelector(".take-back").remove();
    list.append(row);
    mine.refused += 1;
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

  const stateOf = async (url) => {
    const answer = await fetch(url, { headers: { Accept: "application/json" }, cache: "no-store" });
    if (answer.status === 404) return { state: "failed", error: "It was deleted before it was read." };
    if (!answer.ok) throw new Error(`The server answered ${answer.status}.`);
    return answer.json();
  };

  const taken = (mine, name, made, here) => {
    if (here) mine.there += 1; else mine.fresh += 1;
    if (made.state === "ready" || made.state === "failed") { settle(mine, { name, here }, made); return; }
    const waiting = mine.open.get(made.sha256) || { url: made.url, files: [] };
    waiting.files.push({ name, here });
    mine.open.set(made.sha256, waiting);
  };

  const settle = (mine, file, made) => {
    if (made.state === "ready") { mine.read += 1; mine.ids.add(made.id); return; }
    if (file.here) mine.there -= 1; else mine.fresh -= 1;
    refuse(mine, file.name, made.error);
  };

  const send = async (mine, file, digested, reports) => {
    const name = file.webkitRelativePath || file.name;
    const stopped = mine.stopped.signal;
    const there = reports[digested];
    if (there) { taken(mine, name, there, true); return; }
    if (!file.size) { refuse(mine, name, "The file is empty."); return; }
    if (file.size > Number(maxBytes)) { refuse(mine, name, `It is larger than ${maxText}, the most this server takes.`); return; }
    for (let attempt = 0; !stopped.aborted; attempt += 1) {
      try {
        const made = await window.reading.send(reportUrl, csrf(), file, () => {}, stopped, { bulk: "yes" });
        if (made.reports) unpacked(mine, made); else taken(mine, name, made, made.state === "ready");
        return;
      } catch (problem) {
        if (stopped.aborted) return;
        if (problem.status === 507) throw problem; // the disk, or a quota, is full
        const later = problem.status === 429 || ((!problem.status || problem.status >= 502) && attempt < 6);
        if (!later) { refuse(mine, name, problem.message); return; }
        await wait(1000 * (problem.retry || 2 ** Math.min(attempt, 5)));
      }
    }
  };

  const unpacked = (mine, made) => {
    mine.total += made.reports.length + made.refused.length + made.left_out.length - 1;
    made.reports.forEach((report) => taken(mine, report.name, report, report.state === "ready"));
    [...made.refused, ...made.left_out].forEach(({ name, error }) => refuse(mine, name, error));
  };

  // One after the other, whatever is dropped meanwhile.
  let last = Promise.resolve();
  const take = (chosen) => { last = last.then(() => takeAll(chosen)); return last; };
  const follow = (made) => { last = last.then(() => followAll(made)); return last; };

  const takeAll = async (chosen) => {
    const files = chosen.filter(visible);
    const mine = begin(files.length);
    const stopped = mine.stopped.signal;
    const reading = read(mine);
    try {
      for (let at = 0; at < files.length && !stopped.aborted; at += asked) {
        const some = files.slice(at, at + asked);
        const digests = [];
        for (const file of some) digests.push(await digest(file));
        const reports = await known(digests);
        if (!stopped.aborted) await Promise.all(some.map((file, place) => send(mine, file, digests[place], reports).then(() => show(mine))));
      }
    } catch (problem) { wrong(mine, problem); return; } finally { mine.sent = true; }
    await reading;
    finish(mine);
  };

  // The files of one archive, which the server has taken out.
  const followAll = async (made) => {
    const mine = begin(1);
    mine.sent = true;
    unpacked(mine, made);
    await read(mine);
    finish(mine);
  };

  // What was sent, until it is read.
  const read = async (mine) => {
    const stopped = mine.stopped.signal;
    while (!stopped.aborted && (!mine.sent || mine.open.size)) {
      await wait(mine.open.size ? 1000 : 300);
      const some = [...mine.open.keys()].slice(0, asked);
      let reports = {};
      try {
        reports = await known(some);
        // What cannot be read, and a file of several reports, is told by itself alone.
        for (const sha of some) if (!reports[sha]) reports[sha] = await stateOf(mine.open.get(sha).url);
      } catch { await wait(2000); }
      if (stopped.aborted) return;
      for (const sha of some) {
        const waiting = mine.open.get(sha);
        mine.open.delete(sha);
        if (["ready", "failed"].includes(reports[sha]?.state)) waiting.files.forEach((file) => settle(mine, file, reports[sha]));
        else mine.open.set(sha, waiting); // is asked for after the others
      }
      show(mine);
    }
  };

  const finish = (mine) => {
    show(mine);
    stop.hidden = true;
    const stopped = mine.stopped.signal.aborted;
    const whole = stopped ? "Stopped. What was sent stays, and is not sent again. " : `${count(mine.ids.size, "report is", "reports are")} read. `;
    outcome.replaceChildren(whole);
    if (!stopped && mine.ids.size > 1 && mine.ids.size <= sortable) {
      const sort = element("button", { type: "button", className: "primary", textContent: "Sort them by database and instance" });
      const ids = [...mine.ids];
      sort.addEventListener("click", () => window.series(ids));
      outcome.append(sort);
    }
    outcome.append(element("a", { href: libraryUrl, textContent: "See all reports by database" }));
  };

  const wrong = (mine, problem) => {
    mine.stopped.abort(); // what is chosen next is a run of its own
    stop.hidden = true;
    alarm(`${problem.message} ${again}`);
  };

  const alarm = (text) => {
    const alert = element("span", { className: "error", textContent: text });
    alert.setAttribute("role", "alert");
    outcome.replaceChildren(alert);
  };

  stop.addEventListener("click", () => run.stopped.abort());
  choose.addEventListener("click", () => input.click());

  const left = JSON.parse(sessionStorage.getItem(kept) || "null");
  if (left) outcome.append(`${left.done.toLocaleString("en")} of ${count(left.total, "file")} were sent before this page was left. ${again}`);

  return { takes: (number) => number > Number(form.dataset.listed), take, follow, dropped, input, visible, alarm };
})();
