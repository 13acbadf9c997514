// Sending a file and following how it is read; what the upload page and a comparison's own form share.
window.reading = (() => {
  "use strict";
  const stages = { "": "queued", waiting: "queued", parsing: "reading tables", storing: "storing what was read" };
  const first = 60; // ms between two looks in the first two seconds, in which most files are read; then ever longer
  const briskly = 2000;
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

  // Resolves to the report once it is read; `show` is told each stage in words. An error has the server's code.
  const follow = async (url, show) => {
    let tag = null;
    let pause = first;
    const begun = performance.now();
    for (;;) {
      const headers = { Accept: "application/json" };
      if (tag) headers["If-None-Match"] = tag;
      let answer = null;
      try { answer = await fetch(url, { headers, cache: "no-store" }); } catch { pause = 2000; }
      if (answer && answer.status === 200) {
        tag = answer.headers.get("ETag");
        const found = await answer.json();
        if (found.state === "ready") return found;
        if (found.state === "failed") throw Object.assign(new Error(found.error || "The file could not be read."), { code: found.error_code });
        const stage = found.state === "pending" ? "waiting" : found.stage;
        show(stages[stage] || stage || "working");
      } else if (answer && answer.status !== 304) {
        throw new Error(`The server answered ${answer.status}.`);
      }
      await wait(pause);
      if (performance.now() - begun > briskly) pause = Math.min(pause * 1.3, 1500);
    }
  };

  return { send, follow };
})();
