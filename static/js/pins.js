// `p` keeps the row, finding or section that has the focus, is marked or is under the pointer as evidence: of the
// incident that is chosen in the tray, else one's own. `P` opens the tray.
(() => {
  "use strict";
  const box = document.querySelector("[data-pins]");
  if (!box) return;
  const $ = (selector) => box.querySelector(selector);
  const token = $("[name=csrfmiddlewaretoken]").value;
  const list = $("[data-pin-list]");
  const area = $("textarea");
  const anchors = window.awr.anchors;

  const toast = $(".toast");
  let hiding = 0;
  const say = (text) => {
    $("[data-pin-said]").textContent = toast.textContent = text;
    toast.hidden = false;
    clearTimeout(hiding);
    hiding = setTimeout(() => { toast.hidden = true; }, 4000);
  };

  const call = async (url, method, data) => {
    const answer = await fetch(url, { method, body: data, headers: { Accept: "application/json", "X-CSRFToken": token } });
    if (answer.status === 204) return {};
    let reply = {};
    try { reply = await answer.json(); } catch { /* no JSON: the status says it */ }
    if (!answer.ok) throw new Error(reply.error || `The server answered ${answer.status}.`);
    return reply;
  };

  // The choice of an incident; null: for oneself, or there is none.
  const incident = () => $("[data-evidence]")?.value ? $("[data-evidence]") : null;
  const show = async () => {
    const chosen = $("[data-evidence]")?.value;
    const answer = await fetch(box.dataset.pins, { headers: { Accept: "text/html" }, cache: "no-store" });
    if (!answer.ok) throw new Error(`The server answered ${answer.status}.`);
    list.innerHTML = await answer.text(); // the server's own markup, as every section of the page
    if (chosen !== undefined && $("[data-evidence]")) $("[data-evidence]").value = chosen;
    const count = list.querySelectorAll("li").length;
    $("[data-pin-count]").textContent = count || "";
    area.hidden = true;
  };

  const fields = (named) => {
    const data = new FormData();
    for (const [name, value] of Object.entries(named)) data.append(name, value);
    return data;
  };

  // Of a pin, which is one no more, `keep` is the address that removes it.
  const keep = async ({ anchor, pair, query, keep: pinned }) => {
    const { value, dataset: { comparison }, selectedOptions: [{ text }] } = incident();
    const made = await call(value + query, "POST", fields({ comparison, anchor, pair }));
    if (pinned) await call(pinned, "DELETE");
    await show();
    say(`Kept as evidence of ${text}: ${made.title}`);
  };

  const pin = async (anchor) => {
    if (!anchor) { say("Nothing to keep: point at a row, a finding or a section first."); return; }
    const pair = document.body.dataset.pair || "0";
    try {
      await shown;
      if (incident()) { await keep({ anchor, pair, query: incident().dataset.query }); return; }
      const made = await call(box.dataset.pins, "POST", fields({ anchor, pair }));
      await show();
      say(`Kept for yourself: ${made.title}`);
    } catch (problem) { say(problem.message); }
  };

  // Over plain HTTP there is no clipboard: the text is selected, to be copied by hand.
  const copy = async (url) => {
    const answer = await fetch(url, { cache: "no-store" });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`The server answered ${answer.status}.`);
    try {
      await navigator.clipboard.writeText(text);
      say("Copied.");
    } catch {
      area.hidden = false;
      area.value = text;
      area.select();
      say("Selected: press Ctrl+C.");
    }
  };

  box.addEventListener("click", async (event) => {
    const remove = event.target.closest("[data-unpin]");
    const text = event.target.closest("[data-copy-pins]");
    const kept = event.target.closest("[data-keep]");
    try {
      if (event.target.closest("[data-pin-marked]")) await pin(anchors.marked());
      else if (text) await copy(text.dataset.copyPins);
      else if (kept) {
        if (!incident()) { say("Choose an incident first."); return; }
        await keep(kept.dataset);
        $("summary").focus();
      }
      else if (remove) {
        await call(remove.dataset.unpin, "DELETE");
        await show();
        $("summary").focus();
        say("Removed.");
      }
    } catch (problem) { say(problem.message); }
  });
  $("details").addEventListener("toggle", () => { $("[data-pin-marked]").hidden = !anchors.marked(); });
  document.addEventListener("keydown", (event) => {
    if (!["p", "P"].includes(event.key) || event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
    if (document.querySelector("dialog[open]") || event.target.matches("input, select, textarea")) return;
    event.preventDefault();
    if (event.key === "p") pin(anchors.chosen());
    else { $("details").open = true; $("summary").focus(); } // it stands behind all else on the page
  });
  const shown = show().catch(() => { /* the tray stays empty; the next pin says what is wrong */ });
})();
