// A report that is pasted: into its box, or anywhere on the page outside of fields. It is sent as a file like any other.
(() => {
  "use strict";
  const part = document.getElementById("paste");
  const box = document.getElementById("pasted");
  const dialog = part.closest("dialog"); // on the page of a comparison
  let copied = null; // { text, html }: what the box holds, and the copied page it came from
  let sent = 0;
  part.hidden = false;

  // A copied page has its tables in its HTML. What an editor copies as HTML is the colours of its lines, and no table.
  const tablesOf = (data) => {
    const html = data.getData("text/html");
    return /<table\b/i.test(html) && !/<(html|table)\b/i.test(data.getData("text/plain")) ? html : "";
  };

  const insert = (data) => {
    const html = tablesOf(data);
    const before = box.value;
    const atEnd = box.selectionStart === before.length;
    const earlier = copied?.text === before ? copied.html : "";
    const whole = html && (!before.trim() || box.selectionEnd - box.selectionStart === before.length);
    // Some browsers copy a page as HTML alone.
    const text = data.getData("text/plain") || new DOMParser().parseFromString(html, "text/html").body.textContent;
    box.setRangeText(text, box.selectionStart, box.selectionEnd, "end");
    const joined = whole ? html : html && earlier && atEnd ? `${earlier}\n${html}` : "";
    copied = joined ? { text: box.value, html: joined } : null;
  };

  const typedInto = (target) => target instanceof Element && target.closest("input, textarea, select, [contenteditable]");

  document.addEventListener("paste", (event) => {
    const data = event.clipboardData;
    const elsewhere = event.target !== box;
    if (!data || !(data.getData("text/plain") || tablesOf(data))) return;
    if (elsewhere && (typedInto(event.target) || (dialog ? !dialog.open : document.querySelector("dialog[open]")))) return;
    event.preventDefault();
    part.open = true;
    if (elsewhere) box.setSelectionRange(box.value.length, box.value.length);
    insert(data);
    box.focus();
  });

  document.getElementById("paste-read").addEventListener("click", () => {
    const text = box.value;
    if (text.trim()) {
      const content = copied?.text === text ? copied.html : text;
      const ending = /<(html|table)\b/i.test(content) ? "html" : "txt";
      sent += 1;
      box.value = "";
      copied = null;
      window.uploads.add([new File([content], `pasted${sent > 1 ? `-${sent}` : ""}.${ending}`)]);
    }
    box.focus();
  });
  part.addEventListener("toggle", () => { if (part.open) box.focus({ preventScroll: true }); });
})();
