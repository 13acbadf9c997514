// Sending a file and following how it is read; what the upload page and a comparison's own form share.
window.reading = (() => {
  "use strict";
  const stages = { "": "queued", waiting: "queued", parsing: "reading tables", storing: "storing what was read" };
  const first = 60; // ms between two looks in the first two seconds, in which most files are read; then ever longer
  const briskly = 2000;
  const slowest = 1500;
  const later = 2000; // after no answer
  const most = 50; // in one address
  const wait = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

  // Two requests at a time: each takes one of the server's connections for as long as its file takes.
  const together = 2;
  let sending = 0;
  const queue = [];
  const inTurn = async (work) => {
    if (sending < together) sending += 1;
    else await new Promise((resolve) => queue.push(resolve)); // takes over the place of one that is done
    try { return await work(); } finally {
      const next = queue.shift();
      if (next) next(); else sending -= 1;
    }
  };

  // Resolves to the server's answer; `progress` is told the percentage sent, once it is the file's turn.
  // `more` are fields of the form. An error has the `status`, and where there is one the seconds after which to come again.
  const send = (url, token, file, progress, stopped, more = {}) => inTurn(() => post(url, token, file, progress, stopped, more));

  const post = (url, token, file, progress, stopped, more) => new Promise((resolve, reject) => {
    const takenBack = () => reject(new Error("It was taken back."));
    if (stopped?.aborted) { takenBack(); return; }
    progress(0);
    const request = new XMLHttpRequest();
    stopped?.addEventListener("abort", () => { request.abort(); takenBack(); });
    const data = new FormData();
    data.append("same", "reuse"); // the same bytes once more are the report that is there
    Object.entries(more).forEach(([name, value]) => data.append(name, value));
    data.append("file", file, file.name);
    request.open("POST", url);
    request.setRequestHeader("Accept", "application/json");
    request.setRequestHeader("X-CSRFToken", token);
    request.upload.addEventListener("progress", (event) => {
      if (event.lengthComputable) progress(Math.round((event.loaded / event.total) * 100));
    });
    request.addEventListener("load", () => {
      let answer = {};
      try { answer = JSON.parse(request.responseText); } catch { /* no JSON: the status says it */ }
      if (request.status === 201 || request.status === 200) resolve(answer); // 200: it is here already
      else reject(Object.assign(new Error(answer.error || `The server answered ${request.status}.`), { status: request.status, retry: Number(request.getResponseHeader("Retry-After")) }));
    });
    request.addEventListener("error", () => reject(new Error("The upload was interrupted. Choose the file again.")));
    request.send(data);
  });

  // Everything that is followed is asked for at once; the server answers when all is done, or after a while.
  const followed = [];
  let asking = false;

  // Resolves to the report once it is read; `show` is told each stage in words. An error has the server's code.
  const follow = (made, show) => new Promise((resolve, reject) => { put({ kind: "report", made, show, resolve, reject }); });

  // Resolves to the comparison once it is made or refused, to null where it was withdrawn.
  const compared = (made) => new Promise((resolve) => { put({ kind: "comparison", made, resolve, reject: () => resolve(null) }); });

  let begun = 0; // when the newest of them came
  const put = (work) => { followed.push(work); begun = performance.now(); ask(); };

  const address = () => {
    const at = new URL("../../reports/progress/", new URL(followed[0].made.url, location.href));
    for (const { kind, made } of followed.slice(0, most)) at.searchParams.append(kind, made.id);
    return at;
  };

  const ask = async () => {
    if (asking) return;
    asking = true;
    let pause = first;
    while (followed.length) {
      await wait(pause); // what is sent together is asked for together
      const batch = followed.slice(0, most);
      const answer = await fetch(address(), { headers: { Accept: "application/json" }, cache: "no-store" }).catch(() => null);
      if (!answer || answer.status === 429 || answer.status >= 500) { pause = later; continue; } // it restarts, or is busy
      try {
        if (!answer.ok) throw new Error(`The server answered ${answer.status}.`);
        settle(batch, await answer.json());
      } catch (problem) { batch.filter((work) => followed.includes(work)).forEach((work) => remove(work).reject(problem)); }
      pause = performance.now() - begun > briskly ? Math.min(pause * 1.3, slowest) : first;
    }
    asking = false;
  };

  const remove = (work) => { followed.splice(followed.indexOf(work), 1); return work; };

  const settle = (batch, progress) => {
    for (const work of batch) {
      const now = progress[`${work.kind}s`].find(({ id }) => id === work.made.id);
      if (!now) remove(work).reject(new Error("It was deleted before it was read."));
      else if (now.state === "ready" || (now.state === "failed" && work.kind === "comparison")) remove(work).resolve(now);
      else if (now.state === "failed") remove(work).reject(Object.assign(new Error(now.error || "The file could not be read."), { code: now.error_code }));
      else {
        const stage = now.state === "pending" ? "waiting" : now.stage;
        work.show?.(stages[stage] || stage || "working");
        followed.push(remove(work)); // those after it are asked for next
      }
    }
  };

  return { send, follow, compared, wait };
})();
