// Attaching an LGWR trace to the comparison on the page: sent and read like any file, then attached.
(() => {
  "use strict";
  const form = document.getElementById("attach-trace");
  if (!form) return;
  const input = form.querySelector("input[type=file]");
  const status = form.querySelector("[role=status]");
  const token = form.querySelector("[name=csrfmiddlewaretoken]").value;

  const say = (text, failed) => {
    status.textContent = text;
    status.className = failed ? "error" : "dim";
  };

  const attach = async (id) => {
    const data = new FormData();
    data.append("report", id);
    const answer = await fetch(form.action, { method: "POST", body: data, headers: { Accept: "application/json", "X-CSRFToken": token } });
    const reply = await answer.json();
    if (!answer.ok) throw new Error(reply.error || `The server answered ${answer.status}.`);
  };

  input.addEventListener("change", async () => {
    const file = input.files[0];
    if (!file) return;
    input.disabled = true;
    try {
      const made = await window.reading.send(form.dataset.reportUrl, token, file, (percent) => say(`uploading ${percent} %`));
      const stored = made.reports ? made.reports : [made];
      await Promise.all(stored.map((one) => window.reading.follow(one, (stage) => say(stage))));
      for (const one of stored) await attach(one.id);
      location.reload();
    } catch (problem) {
      say(problem.message, true);
      input.disabled = false;
      input.value = "";
    }
  });
})();
