// Values of a chart under the pointer, or where the arrow keys lead: a line across it, and a box with what its marks say.
// Home, End, Escape; Enter follows the link of a mark.
(() => {
  "use strict";
  const CHART = "svg.drawing, .bars .stack";
  const FOCUSABLE = "figure svg.drawing[role], .bars .stack";
  const made = (cls) => {
    const element = document.createElement("div");
    element.className = cls;
    element.hidden = true;
    return element;
  };
  const line = made("crosshair no-print");
  const box = made("readout no-print");
  const spoken = made("vh no-print");
  spoken.hidden = false;
  for (const element of [box, spoken]) element.setAttribute("role", "status");
  box.setAttribute("aria-live", "off");
  document.body.append(line, box, spoken);

  // A browser would show a title by itself, beside the box.
  const known = new WeakMap();
  const marksOf = (chart) => {
    if (!known.has(chart)) known.set(chart, [...chart.querySelectorAll("span[title], :is(rect, circle, path):has(> title)")].map((mark) => {
      const title = mark.querySelector("title");
      const text = title ? title.textContent : mark.title;
      if (title) title.remove(); else mark.removeAttribute("title");
      mark.closest("a")?.setAttribute("aria-label", text);
      return { mark, text };
    }));
    return known.get(chart);
  };
  // Where marks have their middle, from left to right, with all that stand there; each mark for itself where a chart has
  // no axis from left to right.
  const stopsOf = (chart) => {
    const placed = marksOf(chart).filter(({ mark }) => !mark.classList.contains("off")).map((one) => ({ ...one, place: one.mark.getBoundingClientRect() }));
    const middle = ({ place }) => (place.left + place.right) / 2;
    if (chart.matches(".stack") || chart.closest(".mosaic")) return placed.map((one) => ({ at: middle(one), own: [one], marks: [one] }));
    const stops = new Map();
    for (const one of placed) {
      const at = Math.round(middle(one));
      if (!stops.has(at)) stops.set(at, { at: middle(one), own: [], marks: placed.filter(({ place }) => place.left - 0.5 <= middle(one) && middle(one) <= place.right + 0.5) });
      stops.get(at).own.push(one);
    }
    return [...stops.values()].sort((a, b) => a.at - b.at);
  };
  const under = (stops, target, x) => {
    const near = (choices) => choices.reduce((best, stop) => (Math.abs(stop.at - x) < Math.abs(best.at - x) ? stop : best), choices[0]);
    const own = stops.filter(({ own }) => own.some(({ mark }) => mark.contains(target)));
    const around = stops.filter(({ own }) => own.some(({ place }) => place.left <= x && x <= place.right));
    return near(own.length ? own : around.length ? around : stops);
  };

  const keyOf = (keys, mark, text) => {
    const own = mark && mark.dataset.k;
    const named = keys.filter((key) => text.startsWith(key.textContent.trim())).sort((a, b) => b.textContent.length - a.textContent.length);
    return keys.find((key) => own && key.dataset.k === own) || named[0];
  };
  const write = (chart, marks) => {
    const keys = [...(chart.closest("figure") || chart).querySelectorAll(".keys li")];
    const shown = [];
    const upright = chart.closest(".stacked") ? [...marks].reverse() : marks; // as they stand, from the top down
    for (const { mark, text } of upright) {
      const [first, ...rest] = text.split("\n");
      const cut = mark.tagName === "SPAN" ? -1 : first.indexOf(": ");
      const head = cut > 0 ? first.slice(0, cut) : rest.length ? first : "";
      if (head && !shown.includes(head)) shown.push(head);
      const lines = [...(head && cut < 0 ? [] : [first.slice(cut > 0 ? cut + 2 : 0)]), ...rest];
      lines.forEach((text, at) => shown.push([text, keyOf(keys, at ? null : mark, text)]));
    }
    box.replaceChildren(...shown.filter((one) => !(one[1] && one[1].matches && one[1].matches(".out"))).map((one) => {
      const row = document.createElement(typeof one === "string" ? "b" : "span");
      row.append(...(one[1] && one[1].matches ? [one[1].querySelector("svg").cloneNode(true)] : []), typeof one === "string" ? one : one[0]);
      return row;
    }));
  };

  let chart = null;
  let stops = [];
  let current = null;
  const hide = () => {
    for (const { mark } of current ? current.marks : []) mark.classList.remove("at");
    line.hidden = box.hidden = true;
    chart = current = null;
  };
  const show = (stop, y) => {
    for (const { mark } of current ? current.marks : []) mark.classList.remove("at");
    current = stop;
    const together = chart.matches(".stack") ? [...chart.closest("figure").querySelectorAll(".stack")].flatMap(marksOf).filter(({ mark }) => mark.dataset.k === stop.marks[0].mark.dataset.k) : stop.marks;
    for (const { mark } of stop.marks) mark.classList.add("at");
    write(chart, together);
    const frame = chart.getBoundingClientRect();
    const style = getComputedStyle(chart);
    const [top, bottom] = ["top", "bottom"].map((side) => parseFloat(style.getPropertyValue(`padding-${side}`)));
    line.hidden = chart.matches(".stack") || Boolean(chart.closest(".mosaic"));
    Object.assign(line.style, { left: `${stop.at}px`, top: `${frame.top + top}px`, height: `${frame.height - top - bottom}px` });
    box.hidden = false;
    const { width, height } = box.getBoundingClientRect();
    const right = stop.at + 14 + width <= innerWidth - 8;
    box.style.left = `${Math.max(right ? stop.at + 14 : stop.at - 14 - width, 8)}px`;
    box.style.top = `${Math.max(Math.min(line.hidden ? frame.bottom + 6 : y, innerHeight - 8 - height), 8)}px`;
  };
  const enter = (target) => {
    if (chart === target) return;
    hide();
    chart = target;
    stops = stopsOf(target);
  };

  document.addEventListener("pointermove", (event) => {
    const target = event.target instanceof Element && event.target.closest(CHART);
    if (!target || event.buttons || !marksOf(target).length) { if (chart && chart !== document.activeElement) hide(); return; }
    enter(target);
    if (stops.length) show(under(stops, event.target, event.clientX), event.clientY + 14);
  });
  document.addEventListener("keydown", (event) => {
    const target = event.target instanceof Element && event.target.matches(FOCUSABLE) && event.target;
    if (!target || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "Enter" && current) {
      const link = current.marks.map(({ mark }) => mark.closest("a")).find(Boolean);
      if (link) location.assign(link.getAttribute("href"));
      return;
    }
    if (event.key === "Escape" && current) { event.stopImmediatePropagation(); hide(); return; }
    const step = { ArrowLeft: -1, ArrowRight: 1, Home: -Infinity, End: Infinity }[event.key];
    if (!step) return;
    event.preventDefault();
    enter(target);
    if (!stops.length) return;
    const at = current ? stops.indexOf(current) + step : step > 0 && step < 2 ? 0 : step < 0 && step > -2 ? stops.length - 1 : step;
    show(stops[Math.min(Math.max(at, 0), stops.length - 1)], target.getBoundingClientRect().top);
    spoken.textContent = [...box.children].map((row) => row.textContent).join(", ");
  }, true);
  for (const name of ["scroll", "resize", "focusout", "keys-chosen"]) addEventListener(name, hide, true);

  const reachable = () => document.querySelectorAll(FOCUSABLE).forEach((one) => { one.tabIndex = 0; });
  for (const name of ["section-shown", "chart-drawn"]) document.addEventListener(name, reachable);
  reachable();
})();
