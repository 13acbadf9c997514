// What a chart's colours stand for: a key shows its marks alone, another one beside them; with Shift it hides them.
(() => {
  "use strict";
  const KEYS = "figure .keys li[data-k]";
  const buttons = () => {
    for (const key of document.querySelectorAll(KEYS)) {
      if (key.querySelector("button") || key.parentElement.querySelectorAll("[data-k]").length < 2) continue;
      const button = document.createElement("button");
      const link = key.querySelector("a");
      button.type = "button";
      button.title = "Show alone; with Shift: hide";
      button.setAttribute("aria-pressed", "false");
      if (link) button.setAttribute("aria-label", `${link.textContent.trim()} alone`);
      button.append(...(link ? [key.querySelector("svg")] : key.childNodes));
      key.prepend(button);
    }
  };

  // What is left of a stack stands on its foot: a bar at its place, or a layer over its steps.
  const shapes = new WeakMap();
  const shapeOf = (mark) => {
    if (mark.tagName === "rect") {
      const [y, height] = ["y", "height"].map((name) => parseFloat(mark.getAttribute(name)));
      return { x: [mark.getAttribute("x")], top: [y], foot: [y + height] };
    }
    const places = mark.getAttribute("d").match(/-?[\d.]+ -?[\d.]+/g).map((place) => place.split(" ").map(Number));
    const [upper, lower] = [places.slice(0, places.length / 2), places.slice(places.length / 2).reverse()];
    return { x: upper.map(([x]) => x), top: upper.map(([, y]) => y), foot: lower.map(([, y]) => y) };
  };
  const restack = (marks) => {
    const feet = {};
    for (const mark of marks) {
      if (!shapes.has(mark)) shapes.set(mark, shapeOf(mark));
      const { x, top, foot } = shapes.get(mark);
      const ground = feet[x] || foot;
      feet[x] = ground;
      if (mark.classList.contains("off")) continue;
      const raised = ground.map((y, at) => y - (foot[at] - top[at]));
      feet[x] = raised;
      if (mark.tagName === "rect") mark.setAttribute("y", `${raised[0]}%`);
      else mark.setAttribute("d", `M${[...x.map((one, at) => `${one} ${raised[at]}`), ...x.map((one, at) => `${one} ${ground[at]}`).reverse()].join("L")}Z`);
    }
  };

  const pressed = (key) => key.querySelector("button[aria-pressed=true]") !== null;
  const show = (figure) => {
    const keys = [...figure.querySelectorAll(".keys li[data-k]")];
    const alone = keys.some(pressed);
    const out = new Map(keys.map((key) => [key.dataset.k, alone && !pressed(key)]));
    for (const key of keys) key.classList.toggle("out", out.get(key.dataset.k));
    const marks = [...figure.querySelectorAll("[data-k]:not(li)")].filter((mark) => out.has(mark.dataset.k));
    for (const mark of marks) mark.classList.toggle("off", out.get(mark.dataset.k));
    if (figure.closest(".stacked")) restack(marks);
    figure.dispatchEvent(new CustomEvent("keys-chosen", { bubbles: true }));
  };
  document.addEventListener("click", (event) => {
    const button = event.target.closest(`${KEYS} button`);
    if (!button) return;
    const figure = button.closest("figure");
    const keys = [...figure.querySelectorAll(".keys li[data-k]")];
    const own = button.parentElement;
    const none = !keys.some(pressed);
    const chosen = keys.filter((key) => (event.shiftKey ? key !== own && (none || pressed(key)) : (key === own) !== pressed(key)));
    for (const key of keys) key.querySelector("button").setAttribute("aria-pressed", String(chosen.includes(key) && chosen.length < keys.length));
    show(figure);
  });
  document.addEventListener("section-shown", buttons);
  document.addEventListener("chart-drawn", (event) => show(event.target));
  buttons();
})();
