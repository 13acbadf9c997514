// The share dialog: create, copy, revoke.
(() => {
  "use strict";
  const dialog = document.getElementById("share");
  if (!dialog) return;
  const $ = (selector) => dialog.querySelector(selector);
  const token = () => $("[name=csrfmiddlewaretoken]").value;
  const say = (text) => { $("#share-error").textContent = text; };
  let shown = ""; // the id of the link whose address stands there

  document.addEventListener("click", (event) => {
    if (event.target.closest("[data-share]")) { dialog.showModal(); $("#days").focus(); }
    if (event.target.closest("#share [data-close]")) dialog.close();
  });

  const call = async (url, method, data) => {
    const answer = await fetch(url, { method, body: data, headers: { Accept: "application/json", "X-CSRFToken": token() } });
    if (answer.status === 204) return {};
    let reply = {};
    try { reply = await answer.json(); } catch { /* no JSON: the status says it */ }
    if (!answer.ok) throw new Error(reply.error || `The server answered ${answer.status}.`);
    return reply;
  };

  const line = (made, days) => {
    const row = document.createElement("tr");
    const shows = `${made.redacted ? "pseudonyms" : "names"}${made.password ? ", password" : ""}`;
    const until = days.value === "never" ? "until revoked" : `${days.selectedOptions[0].textContent} from now`;
    row.dataset.link = made.id;
    for (const [tag, text] of [["th", "just now"], ["td", made.for_whom], ["td", until], ["td", shows], ["td", made.may_comment ? "read, comment" : "read"], ["td", "not yet"], ["td", ""]]) {
      const cell = document.createElement(tag);
      cell.textContent = text;
      row.append(cell);
    }
    row.firstChild.scope = "row";
    const button = document.createElement("button");
    button.type = "button";
    button.dataset.revoke = dialog.dataset.revokeUrl.replace(dialog.dataset.noLink, made.id);
    button.textContent = "Revoke";
    row.lastChild.append(button);
    document.getElementById("share-links").prepend(row);
  };

  if ($("#redact")) $("#redact").addEventListener("change", (event) => { $("#redaction").hidden = event.target.value !== "yes"; });

  // Four groups of four, without what is mistaken for another: 79 bits.
  const generated = () => {
    const letters = "abcdefghjkmnpqrstuvwxyz23456789";
    const drawn = [];
    while (drawn.length < 16) {
      const [byte] = crypto.getRandomValues(new Uint8Array(1));
      if (byte < 248) drawn.push(letters[byte % letters.length]); // 8 times 31: each as often as any other
    }
    return drawn.join("").replace(/.{4}(?=.)/g, "$&-");
  };
  const password = $("#link-password");
  const hide = () => { password.type = "password"; };
  dialog.addEventListener("close", () => { if (password.type === "text") { password.value = ""; hide(); } });
  password.addEventListener("input", hide); // what somebody types is theirs

  $("#share-form").addEventListener("submit", async (event) => {
    event.preventDefault();
    say("");
    const days = $("#days");
    const data = new FormData($("#share-form"));
    try {
      const made = await call(dialog.dataset.url, "POST", data);
      const shared = new URL(made.url, location.href);
      const here = window.awr && window.awr.place ? window.awr.place() : location; // the view and the place in it go along
      if (!made.redacted) { // in it stand names, and rows have other ids below a redacted link
        shared.search = here.search;
        shared.searchParams.delete("from"); // the comparison from which one came to a report
        shared.hash = here.hash.replace(/&?thread=\d+$/, ""); // threads of the team are not there
      }
      $("#share-url").value = shared.href;
      $("#share-look").href = shared.href;
      $("#share-secret").hidden = password.type !== "text"; // what was generated nobody knows yet
      $("#share-password").value = password.type === "text" ? password.value : "";
      password.value = "";
      hide();
      $("#share-new").hidden = $("#share-once").hidden = false;
      $("#share-copied").textContent = "";
      line(made, days);
      shown = made.id;
      $("#share-url").select();
    } catch (problem) { say(problem.message); }
  });

  dialog.addEventListener("click", async (event) => {
    if (event.target.closest("[data-generate]")) {
      password.value = generated();
      password.type = "text";
      password.select();
    }
    const copy = event.target.closest("[data-copy]");
    if (copy) {
      const box = copy.parentElement.querySelector("input");
      try { await navigator.clipboard.writeText(box.value); $("#share-copied").textContent = "copied"; }
      catch { box.select(); $("#share-copied").textContent = "press Ctrl+C"; }
    }
    const revoke = event.target.closest("[data-revoke]");
    if (!revoke) return;
    revoke.disabled = true;
    say("");
    try {
      await call(revoke.dataset.revoke, "DELETE");
      const note = document.createElement("span");
      note.className = "dim";
      note.textContent = "revoked";
      note.tabIndex = -1; // the button had the focus
      if (revoke.closest("tr").dataset.link === shown) $("#share-new").hidden = $("#share-secret").hidden = $("#share-once").hidden = true;
      revoke.replaceWith(note);
      note.focus();
    } catch (problem) { revoke.disabled = false; say(problem.message); }
  });
})();
