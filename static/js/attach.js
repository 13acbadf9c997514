// Pictures and files of a comment or an event: chosen, pasted or dropped onto the form. Each is shown before it is sent,
// with a line for what it shows. Without this script the field alone does it.
(() => {
  "use strict";
  const chosen = new WeakMap(); // by field, [{ file, alt }]
  const partOf = (target) => {
    const form = target instanceof Element && target.closest("form");
    return form && form.querySelector("[data-attach]");
  };
  const field = (part) => part.querySelector("input[type=file]");
  const size = (bytes) => (bytes < 1024 ? `${bytes} B` : bytes < 1048576 ? `${(bytes / 1024).toFixed(0)} kB` : `${(bytes / 1048576).toFixed(1)} MB`);

  const picture = (file) => {
    const shown = document.createElement("img");
    shown.alt = "";
    const reader = new FileReader();
    reader.addEventListener("load", () => { shown.src = reader.result; });
    reader.readAsDataURL(file);
    return shown;
  };
  const line = (part, one) => {
    const item = document.createElement("li");
    const isPicture = /^image\/(png|jpeg|webp|gif)$/.test(one.file.type);
    const name = Object.assign(document.createElement("span"), { className: "name", textContent: `${one.file.name} · ${size(one.file.size)}` });
    const alt = Object.assign(document.createElement("input"), { name: "alt", maxLength: 300, value: one.alt, placeholder: "What it shows", hidden: !isPicture });
    alt.setAttribute("aria-label", `What ${one.file.name} shows`);
    alt.addEventListener("input", () => { one.alt = alt.value; });
    const away = Object.assign(document.createElement("button"), { type: "button", className: "quiet", textContent: "✕" });
    away.setAttribute("aria-label", `Do not attach ${one.file.name}`);
    away.addEventListener("click", () => {
      take(part, chosen.get(field(part)).filter((other) => other !== one));
      field(part).focus();
    });
    item.append(...(isPicture ? [picture(one.file)] : []), name, alt, away);
    return item;
  };

  // What cannot be kept is said at once, and is not sent.
  const take = (part, wanted) => {
    const most = Number(part.dataset.most);
    const largest = Number(part.dataset.largest);
    const large = wanted.filter((one) => one.file.size > largest).map((one) => `“${one.file.name}” is larger than ${size(largest)}.`);
    const fit = wanted.filter((one) => one.file.size <= largest);
    const kept = fit.slice(0, most);
    const problems = [...large, ...(fit.length > most ? [`At most ${most} files are attached.`] : [])];
    const files = new DataTransfer();
    for (const one of kept) files.items.add(one.file);
    field(part).files = files.files;
    chosen.set(field(part), kept);
    const list = part.querySelector("[data-attached]");
    list.replaceChildren(...kept.map((one) => line(part, one)));
    list.hidden = !kept.length;
    if (kept.length || problems.length) part.open = true;
    const note = part.querySelector("[data-attach-error]");
    note.textContent = problems.join(" ");
    note.hidden = !problems.length;
  };
  const add = (part, files) => {
    const there = chosen.get(field(part)) || [];
    take(part, [...there, ...[...files].map((file) => ({ file, alt: "" }))]);
  };
  const stamp = () => new Date().toISOString().slice(0, 19).replace(/[:T]/g, "-");
  const pasted = (file) => (file.name && file.name !== "image.png" ? file : new File([file], `pasted-${stamp()}.${file.type.split("/")[1] || "png"}`, { type: file.type }));

  document.addEventListener("change", (event) => {
    const part = event.target.matches("[data-attach] input[type=file]") && partOf(event.target);
    if (part) add(part, event.target.files);
  });
  document.addEventListener("paste", (event) => {
    const part = partOf(event.target);
    const files = event.clipboardData ? [...event.clipboardData.files] : [];
    if (!part || !files.length || event.clipboardData.types.includes("text/plain")) return; // a spreadsheet's cells are text and a picture
    event.preventDefault();
    add(part, files.map(pasted));
  });
  // In the capture phase: a page that takes reports dropped anywhere does not see what is dropped on a form.
  for (const name of ["dragenter", "dragover", "drop"]) {
    document.addEventListener(name, (event) => {
      const part = partOf(event.target);
      if (!part || !event.dataTransfer || !event.dataTransfer.types.includes("Files")) return;
      event.preventDefault();
      event.stopPropagation();
      if (name === "drop") add(part, event.dataTransfer.files);
    }, true);
  }
})();
