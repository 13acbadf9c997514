// A time line that a window is drawn on: with the pointer over the chart, or by the reports of its table. The window is
// what the form says, so that it can be typed as well.
(() => {
  "use strict";
  const figure = document.querySelector("figure[data-brush]");
  const form = document.getElementById("compare-form");
  if (!figure || !form) return;
  const drawing = figure.querySelector("svg.drawing");
  const status = document.getElementById("window-said");
  const begin = Date.parse(`${figure.dataset.begin}Z`); // the database's own clock, whatever the browser's is
  const end = Date.parse(`${figure.dataset.end}Z`);
  const rows = [...document.querySelectorAll("[data-slot-begin]")].map((row) => ({ row, from: Date.parse(`${row.dataset.slotBegin}Z`), to: Date.parse(`${row.dataset.slotEnd}Z`) }));
  const text = (moment) => new Date(moment).toISOString().slice(0, 16);
  const fields = (which) => [form.elements[which ? "other_from" : "from"], form.elements[which ? "other_to" : "to"]];

  const frame = () => {
    const box = drawing.getBoundingClientRect();
    const style = getComputedStyle(drawing);
    const [top, right, bottom, left] = ["top", "right", "bottom", "left"].map((side) => parseFloat(style.getPropertyValue(`padding-${side}`)));
    return { left: box.left + left, top: box.top + top, width: box.width - left - right, height: box.height - top - bottom };
  };
  const boxes = [0, 1].map((which) => {
    const box = document.createElement("div");
    box.className = which ? "brush other" : "brush";
    box.hidden = true;
    figure.querySelector(".plot").append(box);
    return box;
  });
  const values = (which) => fields(which).map((field) => Date.parse(`${field.value}Z`));
  const show = () => {
    const at = frame();
    const plot = figure.querySelector(".plot").getBoundingClientRect();
    boxes.forEach((box, which) => {
      const [from, to] = values(which);
      const drawn = from < to && to > begin && from < end;
      box.hidden = !drawn;
      if (!drawn) return;
      const place = (moment) => Math.min(Math.max((moment - begin) / (end - begin), 0), 1) * at.width;
      box.style.left = `${at.left - plot.left + place(from)}px`;
      box.style.width = `${Math.max(place(to) - place(from), 2)}px`;
      box.style.top = `${at.top - plot.top}px`;
      box.style.height = `${at.height}px`;
    });
    const [from, to] = values(0);
    const inside = rows.filter((one) => (one.from + one.to) / 2 >= from && (one.from + one.to) / 2 < to);
    rows.forEach((one) => one.row.classList.toggle("in-window", inside.includes(one)));
    const count = inside.length === 1 ? "1 report" : `${inside.length} reports`;
    status.textContent = from < to ? `Window: ${text(from).replace("T", " ")} – ${text(to).replace("T", " ")}, ${count} of those shown.` : "";
  };
  const isOther = () => form.elements.against.value === "other" && fields(0).every((field) => field.value);
  const choose = (from, to, which) => {
    const [first, last] = fields(which);
    first.value = text(Math.min(from, to));
    last.value = text(Math.max(from, to));
    show();
  };

  let from = null;
  let other = false; // which window is being drawn, from its begin to its end
  let moved = false;
  const moment = (event) => {
    const at = frame();
    const share = Math.min(Math.max((event.clientX - at.left) / at.width, 0), 1);
    return begin + share * (end - begin);
  };
  // To the edges of the reports that it touches: nobody hits a full hour.
  const snapped = (a, b) => {
    const [low, high] = [Math.min(a, b), Math.max(a, b)];
    const touched = rows.filter((one) => one.to > low && one.from < high && one.to - one.from <= 2 * (high - low) + 7200000);
    if (!touched.length) return [low, high];
    return [Math.min(...touched.map((one) => one.from)), Math.max(...touched.map((one) => one.to))];
  };
  drawing.addEventListener("pointerdown", (event) => {
    if (event.button !== 0) return;
    from = moment(event);
    other = isOther();
    moved = false;
  });
  window.addEventListener("pointermove", (event) => {
    if (from === null) return;
    const to = moment(event);
    if (Math.abs(to - from) / (end - begin) < 0.004) return;
    moved = true;
    choose(...snapped(from, to), other);
  });
  window.addEventListener("pointerup", () => { from = null; });
  window.addEventListener("pointercancel", () => { from = null; });
  drawing.addEventListener("dragstart", (event) => event.preventDefault());
  drawing.addEventListener("click", (event) => { if (moved) event.preventDefault(); }, true);

  // The first and the last report, by the buttons of the table.
  let first = null;
  let picked = false;
  document.addEventListener("click", (event) => {
    const button = event.target.closest("[data-pick]");
    if (!button) return;
    const one = rows.find((entry) => entry.row === button.closest("tr"));
    const is_last = first !== null;
    if (!is_last) picked = isOther();
    const ends = is_last ? [Math.min(first.from, one.from), Math.max(first.to, one.to)] : [one.from, one.to];
    choose(...ends, picked);
    first = is_last ? null : one;
  });
  for (const { row } of rows) {
    const button = document.createElement("button");
    button.type = "button";
    button.className = "quiet";
    button.dataset.pick = "";
    button.textContent = "⌖";
    button.setAttribute("aria-label", `The window begins or ends with ${row.querySelector("th").textContent.trim()}`);
    row.querySelector("th").prepend(button);
  }
  form.addEventListener("input", show);
  window.addEventListener("resize", show);
  show();
})();
