// Sending a file and following how it is read; what the upload page and a comparison's own form share.
window.reading = (() => {
  "use strict";
  const stages = { "": "queued", waiting: "queued", parsing: "reading tables", storing: "storing what was read" };
  const first = 60; // ms between two looks in the first two seconds, in which most files are read; then ever longer
  const briskly = 2000;
  const waits = 250; // an answer that took longer has waited at the server
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

  const put = (one) => { followed.push(one); ask(); };

  const address = () => {
    const at = new URL("../../reports/progress/", new URL(followed[0].made.url, location.href));
    for (const { kind, made } of followed.slice(0, most)) at.searchParams.append(kind, made.id);
    return at;
  };

  const ask = async () => {
    if (asking) return;
    asking = true;
    const begun = performance.now();
    let pause = first;
    while (followed.length) {
      await wait(pause); // what is sent together is asked for together
      const asked = performance.now();
      const some = followed.slice(0, most);
      try {
        const answer = await fetch(address(), { headers: { Accept: "application/json" }, cache: "no-store" });
        if (answer.ok) tell(some, await answer.json());
        else some.forEach((one) => done(one).reject(new Error(`The server answered ${answer.status}.`)));
        const waited = performance.now() - asked > waits; // by the server: at once again
        if (waited) pause = 0; else if (asked - begun > briskly) pause = Math.min((pause || first) * 1.3, 1500); else pause = first;
      } catch { pause = 2000; }
    }
    asking = false;
  };

  const done = (one) => { followed.splice(followed.indexOf(one), 1); return one; };

  const tell = (some, found) => {
    for (const one of some) {
      const now = found[`${one.kind}s`].find(({ id }) => id === one.made.id);
      if (!now) done(one).reject(new Error("It was deleted before it was read."));
      else if (now.state === "ready" || (now.state === "failed" && one.kind === "comparison")) done(one).resolve(now);
      else if (now.state === "failed") done(one).reject(Object.assign(new Error(now.error || "The file could not be read."), { code: now.error_code }));
      else {
        const stage = now.state === "pending" ? "waiting" : now.stage;
        one.show?.(stages[stage] || stage || "working");
        followed.push(done(one)); // those after it are asked for next
      }
    }
  };

  return { send, follow, compared, wait };
})();
