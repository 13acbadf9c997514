// One request per file, with its progress; then the stages the server reports; then the comparison.
(() => {
  "use strict";
  const form = document.getElementById("upload");
  const input = document.getElementById("files");
  const drop = document.getElementById("drop");
  const list = document.getElementById("file-list");
  const outcome = document.getElementById("outcome");
  const template = document.getElementById("file-template");
  const most = Number(form.dataset.maxBytes);
  const files = [];
  drop.classList.add("js");

  const csrf = () => form.querySelector("[name=csrfmiddlewaretoken]").value;
  const size = (bytes) => (bytes < 1024 ? `${bytes} B` : bytes < 1048576 ? `${(bytes / 1024).toFixed(0)} kB` : `${(bytes / 1048576).toFixed(1)} MB`);
  const stages = { "": "waiting for a worker", waiting: "waiting for a worker", parsing: "reading tables", storing: "storing what was read" };
  const wait = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

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

  const send = (item) => new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    const data = new FormData();
    data.append("file", item.file, item.file.name);
    request.open("POST", form.dataset.reportUrl);
    request.setRequestHeader("Accept", "application/json");
    request.setRequestHeader("X-CSRFToken", csrf());
    request.upload.addEventListener("progress", (event) => {
      if (!event.lengthComputable) return;
      const percent = Math.round((event.loaded / event.total) * 100);
      item.row.querySelector("progress").value = percent;
      item.row.querySelector(".status").textContent = percent < 100 ? `uploading ${percent} %` : "uploaded";
    });
    request.addEventListener("load", () => {
      let answer = {};
      try { answer = JSON.parse(request.responseText); } catch { /* no JSON: the status says it */ }
      if (request.status === 201) resolve(answer);
      else reject(new Error(answer.error || `The server answered ${request.status}.`));
    });
    request.addEventListener("error", () => reject(new Error("The upload was interrupted. Choose the file again.")));
    request.send(data);
  });

  const follow = async (item, url) => {
    let tag = null;
    let pause = 80;
    for (;;) {
      const headers = { Accept: "application/json" };
      if (tag) headers["If-None-Match"] = tag;
      let answer = null;
      try { answer = await fetch(url, { headers, cache: "no-store" }); } catch { pause = 2000; }
      if (answer && answer.status === 200) {
        tag = answer.headers.get("ETag");
        const found = await answer.json();
        if (found.state === "ready") return found;
        if (found.state === "failed") throw new Error(found.error || "The file could not be read.");
        const stage = found.state === "pending" ? "waiting" : found.stage;
        show(item, "reading", stages[stage] || stage || "working", "");
      } else if (answer && answer.status !== 304) {
        throw new Error(`The server answered ${answer.status}.`);
      }
      await wait(pause);
      pause = Math.min(pause * 1.3, 1500);
    }
  };

  const take = async (item) => {
    if (item.file.size === 0) return show(item, "failed", "refused", "The file is empty: it holds 0 bytes.");
    if (item.file.size > most) return show(item, "failed", "refused", `The file has ${size(item.file.size)}; the limit of this server is ${form.dataset.maxText}.`);
    show(item, "sending", "uploading", "");
    try {
      const made = await send(item);
      await (made.reports ? unpack(item, made) : read(item, made));
    } catch (problem) {
      show(item, "failed", "not read", problem.message);
    }
    return finish();
  };

  // A file that held several reports: a line for each, in place of its own.
  const unpack = async (item, made) => {
    const all = made.reports.map((one) => [line({ name: one.name }, one.name), one]);
    const refused = made.refused.map((one) => [line({ name: one.name }, one.name), one.error]);
    item.row.remove();
    files.splice(files.indexOf(item), 1);
    refused.forEach(([one, error]) => show(one, "failed", "refused", error));
    await Promise.all(all.map(([one, stored]) => read(one, stored)));
  };

  const read = async (item, made) => {
    show(item, "reading", "waiting for a worker", "");
    try {
      item.report = await follow(item, made.url);
      item.id = made.id;
      const same = files.find((other) => other !== item && other.report && other.report.sha256 === item.report.sha256);
      const said = describe(item.report.header);
      show(item, "ready", "read", same ? `${said} · the same file as ${same.file.name}` : said);
      item.row.querySelector(".name").replaceChildren(link(item.file.name, made.url));
    } catch (problem) {
      show(item, "failed", "not read", problem.message);
    }
  };

  // A report's own clock has no zone: its text is cut, never converted.
  const months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
  const clock = (iso) => {
    const [day, time] = (iso || "").split("T");
    if (!time) return "";
    const [year, month, date] = day.split("-").map(Number);
    return `${date} ${months[month - 1]} ${year} ${time.slice(0, 5)}`;
  };

  const describe = (header) => {
    if (!header) return "";
    const { database = {}, instances = [], snapshots = {} } = header;
    const begin = snapshots.begin || {};
    const end = snapshots.end || {};
    return [
      database.name || "database not named",
      header.release,
      instances.length === 1 && instances[0].name ? `instance ${instances[0].name}` : "",
      instances.length > 1 ? `${instances.length} instances` : "",
      begin.id != null ? `snapshots ${begin.id} – ${end.id ?? "?"}` : "",
      begin.time ? `from ${clock(begin.time)}` : "",
    ].filter(Boolean).join(" · ");
  };

  const link = (text, url) => {
    const made = document.createElement("a");
    made.href = url;
    made.textContent = text;
    return made;
  };

  const busy = () => files.some((f) => !["ready", "failed"].includes(f.state));
  const ready = () => files.filter((f) => f.state === "ready");

  const update = () => {
    if (!busy()) return;
    outcome.replaceChildren(`${ready().length} of ${files.length} read`);
  };

  // Oracle's own compare report alone is a comparison of its two periods.
  const holdsTwo = (good) => good.length === 1 && good[0].report.header?.kind === "awr_compare";

  const finish = () => {
    if (busy()) return;
    const good = ready();
    const bad = files.length - good.length;
    outcome.replaceChildren();
    if ((good.length >= 2 || holdsTwo(good)) && !bad) { compare(good); return; }
    if (good.length >= 2) {
      const button = document.createElement("button");
      button.type = "button";
      button.className = "primary";
      button.textContent = `Compare the ${good.length} that were read`;
      button.addEventListener("click", () => compare(good));
      outcome.append(`${bad} of ${files.length} files could not be read.`, button);
    } else if (good.length === 1) {
      outcome.append("One report is read. Add another to compare it with, or ", link("look at it alone", good[0].report.url), ".");
    } else outcome.append("No file could be read.");
  };

  const compare = async (good) => {
    outcome.replaceChildren("Comparing…");
    const data = new FormData();
    good.forEach((f) => data.append("report", f.id));
    data.append("order", "time");
    try {
      const answer = await fetch(form.dataset.comparisonUrl, { method: "POST", body: data, headers: { Accept: "application/json", "X-CSRFToken": csrf() } });
      const made = await answer.json();
      if (!answer.ok) throw new Error(made.error || `The server answered ${answer.status}.`);
      location.assign(made.url);
    } catch (problem) {
      const said = document.createElement("span");
      said.className = "error";
      said.setAttribute("role", "alert");
      said.textContent = problem.message;
      outcome.replaceChildren(said);
    }
  };

  const line = (file, text) => {
    const row = template.content.firstElementChild.cloneNode(true);
    row.querySelector(".name").textContent = text;
    list.append(row);
    const item = { file, row, state: "new" };
    files.push(item);
    return item;
  };

  const add = (chosen) => {
    const added = [...chosen].map((file) => line(file, `${file.name} · ${size(file.size)}`));
    added.forEach(take);
    if (added.length && !busy()) finish();
  };

  input.addEventListener("change", () => { add(input.files); input.value = ""; });
  for (const name of ["dragenter", "dragover"]) drop.addEventListener(name, (event) => { event.preventDefault(); drop.classList.add("over"); });
  for (const name of ["dragleave", "drop"]) drop.addEventListener(name, () => drop.classList.remove("over"));
  drop.addEventListener("drop", (event) => { event.preventDefault(); add(event.dataTransfer.files); });
  for (const name of ["dragover", "drop"]) addEventListener(name, (event) => event.preventDefault());
})();
