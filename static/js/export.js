// What is taken away: the text for a ticket and a table as Markdown by the clipboard, a chart as a picture.
(() => {
  "use strict";
  const $ = (selector, from = document) => from.querySelector(selector);
  const toast = $("#copied-link");
  let hiding = 0;

  // The clipboard of browsers is there on https and localhost only, and may be refused: then the text stands selected.
  const copyText = async (text, what, name = "") => {
    const box = $("textarea", toast);
    clearTimeout(hiding);
    let copied = true;
    try { await navigator.clipboard.writeText(text); } catch { copied = false; }
    toast.firstElementChild.textContent = copied ? `${what} copied${name}` : `${what}${name} — press Ctrl+C`;
    toast.hidden = false;
    box.hidden = copied;
    if (copied) { hiding = setTimeout(() => { toast.hidden = true; }, 4000); return; }
    box.value = text;
    box.rows = Math.min(text.split("\n").length, 12);
    box.focus({ preventScroll: true });
    box.select();
  };
  const failed = (text) => {
    toast.firstElementChild.textContent = text;
    $("textarea", toast).hidden = true;
    toast.hidden = false;
  };
  Object.assign(window.awr, { copyText });
  document.addEventListener("click", (event) => {
    if (toast && !toast.hidden && !event.target.closest("#copied-link, [data-copy-table], [data-copy-ticket], .pl")) toast.hidden = true;
  });
  if (toast) toast.addEventListener("keydown", (event) => { if (event.key === "Escape") toast.hidden = true; });

  // The menu: `e` opens it, its first entry is the text for a ticket.
  document.addEventListener("open-export", () => {
    const first = $(".menu-list [data-copy-ticket]");
    if (!first) return;
    first.closest(".menu").open = true;
    first.focus({ preventScroll: true }); // a bar that sticks is at the top, wherever the page is
  });
  const ticket = async (button) => {
    const menu = button.closest(".menu");
    const url = new URL(button.dataset.copyTicket, location.href);
    url.searchParams.set("material", document.body.dataset.material);
    try {
      const answer = await fetch(url, { headers: { Accept: "text/plain, */*" } });
      if (!answer.ok) throw new Error(String(answer.status));
      const text = await answer.text();
      menu.open = false;
      $("summary", menu).focus({ preventScroll: true });
      await copyText(text, "Text for the ticket");
    } catch { failed("The text for the ticket could not be read: try again."); }
  };

  // A table with its spans resolved: a cell that spans several stands in each of them.
  const gridOf = (rows) => {
    const grid = rows.map(() => []);
    rows.forEach((row, y) => {
      for (const cell of row.cells) {
        let x = 0;
        while (grid[y][x] !== undefined) x += 1;
        for (let down = 0; down < cell.rowSpan && y + down < rows.length; down += 1) {
          for (let right = 0; right < cell.colSpan; right += 1) grid[y + down][x + right] = cell;
        }
      }
    });
    return grid;
  };
  const textOf = (cell) => {
    const copy = cell.cloneNode(true);
    for (const one of copy.querySelectorAll(".pl, svg, button")) one.remove();
    for (const one of copy.querySelectorAll(".beside, .under")) one.prepend(" ");
    return copy.textContent.trim().replace(/\s+/g, " ").replace(/[\\`*_{}[\]<>|#~$&]/g, "\\$&");
  };
  const markdownOf = (table) => {
    const shown = [...table.tBodies].flatMap((body) => [...body.rows]).filter((row) => row.checkVisibility());
    const heads = gridOf([...table.tHead.rows]);
    const rows = gridOf(shown);
    const columns = heads[0].map((_, x) => [...new Set(heads.map((line) => line[x]))].map((cell) => (cell ? textOf(cell) : "")).filter(Boolean).join(" "));
    const used = columns.map((head, x) => Boolean(head) || rows.some((row) => row[x] && textOf(row[x])));
    const line = (cells) => `| ${cells.filter((_, x) => used[x]).join(" | ")} |`;
    const rule = columns.map((_, x) => (x ? "---:" : "---"));
    return [line(columns), line(rule), ...rows.map((row) => line(columns.map((_, x) => (row[x] ? textOf(row[x]) : ""))))].join("\n");
  };
  const copyTable = (section) => {
    const table = section && $("table.fig", section);
    if (table) copyText(`${markdownOf(table)}\n`, "Table", `: ${$(".fold, h2", section).textContent.trim()}`);
  };
  document.addEventListener("copy-table", (event) => copyTable(event.detail));

  document.addEventListener("click", (event) => {
    const button = event.target.closest("[data-copy-ticket], [data-copy-table]");
    if (!button) return;
    if (button.dataset.copyTicket) ticket(button);
    else copyTable(button.closest(".sec"));
  });
})();
