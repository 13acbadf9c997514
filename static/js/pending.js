// A page whose work is not finished: asks for the state and shows the stage; loads the result when it is there.
(() => {
  "use strict";
  const box = document.querySelector("[data-status]");
  if (!box) return;
  const stages = { reading: "reading the reports", waiting: "queued", parsing: "reading tables", loading: "loading both reports", comparing: "comparing row by row", storing: "storing the result" };
  let tag = null;
  let pause = 60; // ms between two looks in the first two seconds, in which most is done; then ever longer
  const begun = performance.now();
  const ask = async () => {
    try {
      const headers = { Accept: "application/json" };
      if (tag) headers["If-None-Match"] = tag;
      const answer = await fetch(box.dataset.status, { headers, cache: "no-store" });
      if (answer.status === 200) {
        tag = answer.headers.get("ETag");
        const work = await answer.json();
        if (work.state === "ready" || work.state === "failed") { location.reload(); return; }
        const stage = work.stage || (work.state === "pending" ? "waiting" : "");
        const files = work.reports || [];
        const read = files.filter((one) => one.state === "ready").length;
        const counted = stage === "reading" && files.length ? `: ${read} of ${files.length} read` : "";
        box.querySelector("[data-stage]").textContent = (stages[stage] || stage || "working") + counted;
      }
    } catch { box.querySelector("[data-stage]").textContent = "the server does not answer, trying again"; pause = 2000; }
    if (performance.now() - begun > 2000) pause = Math.min(pause * 1.4, 2000);
    setTimeout(ask, pause);
  };
  setTimeout(ask, pause);
})();
