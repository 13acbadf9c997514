// The dialog in which a finding is confirmed, rejected or explained by another. It is a form: the server answers with the page.
(() => {
  "use strict";
  const dialog = document.getElementById("judge");
  if (!dialog) return;
  const form = dialog.querySelector("form[action]");
  const sign = dialog.querySelector("[data-sign-off]");
  const by = dialog.querySelector("[data-explained-by]");
  const why = form.elements.why;

  const fit = () => {
    const state = form.elements.state.value;
    by.hidden = state !== "explained_by";
    by.querySelector("select").disabled = by.hidden;
    why.required = state === "rejected";
  };

  document.addEventListener("click", (event) => {
    const button = event.target.closest("[data-judge]");
    if (!button) return;
    const { judge, title, state, why: reason, explained, sign: url } = button.dataset;
    dialog.querySelector("#judge-title").textContent = title;
    form.elements.anchor.value = judge;
    form.elements.state.value = state;
    why.value = reason;
    for (const option of by.querySelectorAll("option")) {
      option.disabled = option.value === judge;
      option.selected = option.value === explained;
    }
    const select = by.querySelector("select");
    if (!explained) select.value = [...select.options].find((one) => !one.disabled)?.value ?? "";
    dialog.querySelector("[data-withdraw]").hidden = !state;
    sign.hidden = !url;
    sign.action = url;
    fit();
    dialog.showModal();
    (form.querySelector("[name=state]:checked") || form.querySelector("[name=state]")).focus();
  });
  form.addEventListener("change", fit);
  // `v`: the finding that has the focus or is under the pointer, else the first that stands open.
  document.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey) && form.contains(event.target)) { event.preventDefault(); form.requestSubmit(); return; }
    const busy = event.ctrlKey || event.metaKey || event.altKey || event.target.matches("input, select, textarea") || document.querySelector("dialog[open]");
    if (event.key !== "v" || busy) return;
    const chosen = document.querySelector(`[data-judge="${CSS.escape(window.awr.anchors.chosen())}"]`) || document.querySelector("[data-judge]");
    if (chosen) { event.preventDefault(); chosen.click(); }
  });
})();
