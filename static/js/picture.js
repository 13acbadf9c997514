// A chart as a picture: what its figure draws, in the colours of the page, named above it, as a PNG file.
(() => {
  "use strict";
  const SVG = "http://www.w3.org/2000/svg";
  // A picture has no style sheet: what these come to is written into it.
  const LOOKS = ["fill", "fill-opacity", "stroke", "stroke-width", "stroke-opacity", "stroke-dasharray", "stroke-linecap", "stroke-linejoin", "paint-order", "opacity", "font-family", "font-size", "font-weight", "text-anchor", "vector-effect"];
  const EDGE = 16; // pixels around all
  const SHARP = 2; // pixels of the picture for one of the page

  const made = (name, attributes, text = "") => {
    const element = document.createElementNS(SVG, name);
    for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
    element.textContent = text;
    return element;
  };
  const dressed = (copy, original) => {
    const style = getComputedStyle(original);
    for (const name of LOOKS) copy.setAttribute(name, style.getPropertyValue(name));
    if (style.vectorEffect === "non-scaling-stroke") copy.setAttribute("stroke-width", parseFloat(style.strokeWidth) * SHARP);
    if (copy.tagName === "svg") copy.setAttribute("overflow", "visible");
    return style.display !== "none";
  };
  const copyOf = (svg, x, y) => {
    const copy = svg.cloneNode(true);
    const originals = svg.querySelectorAll("*");
    const gone = [...copy.querySelectorAll("*")].filter((one, at) => !dressed(one, originals[at]));
    dressed(copy, svg);
    gone.forEach((one) => one.remove());
    const box = svg.getBoundingClientRect();
    const style = getComputedStyle(svg);
    const [top, right, bottom, left] = ["top", "right", "bottom", "left"].map((side) => parseFloat(style.getPropertyValue(`padding-${side}`)));
    const place = { x: x + left, y: y + top, width: box.width - left - right, height: box.height - top - bottom };
    for (const [key, value] of Object.entries(place)) copy.setAttribute(key, value);
    return copy;
  };
  // What it is, and of which page.
  const lines = (figure) => {
    const card = figure.closest("section");
    const heading = (figure.querySelector("[data-name]") || card.querySelector(".verdict.head") || card.querySelector("button.fold, a.fold") || card.querySelector("h2, h3")).cloneNode(true);
    heading.querySelectorAll("small, .pl").forEach((one) => one.remove());
    const name = heading.textContent.trim().replace(/\s+/g, " ");
    const chosen = figure.querySelector("select");
    const page = document.title.replace(/ · awrdiff$/, "").replace(`${name} · `, "");
    return [chosen ? `${name} · ${chosen.selectedOptions[0].textContent.trim()}` : name, page];
  };
  const pen = document.createElement("canvas").getContext("2d");
  const long = (text, font) => { pen.font = font; return pen.measureText(text).width; };

  const drawn = (figure) => {
    const drawings = [...figure.querySelectorAll(".plot .main-svg, svg.drawing")].filter((one) => one.checkVisibility());
    const keys = [...figure.querySelectorAll(".keys li:not(.out)")].filter((one) => one.checkVisibility());
    const stretches = [...figure.querySelectorAll(".stack > span")].filter((one) => one.checkVisibility());
    const words = [...figure.querySelectorAll(".side, .size, .stack i, .stack b")].filter((one) => one.checkVisibility());
    const boxes = [...drawings, ...keys, ...stretches, ...words].map((one) => one.getBoundingClientRect());
    const left = Math.min(...boxes.map((box) => box.left)) - EDGE;
    const top = Math.min(...boxes.map((box) => box.top)) - EDGE - 44; // two lines of text
    const style = getComputedStyle(document.body);
    const [name, page] = lines(figure);
    const texts = Math.max(long(name, `600 14px ${style.fontFamily}`), long(page, `12px ${style.fontFamily}`));
    const width = Math.max(Math.max(...boxes.map((box) => box.right)) - left, texts + EDGE) + EDGE;
    const height = Math.max(...boxes.map((box) => box.bottom)) - top + EDGE;
    const font = { "font-family": style.fontFamily, fill: style.color };
    const whole = made("svg", { xmlns: SVG, width, height });
    const ground = getComputedStyle(figure.closest(".card") || document.body).backgroundColor;
    whole.append(made("rect", { width, height, fill: ground }));
    whole.append(made("text", { ...font, x: EDGE, y: EDGE + 14, "font-size": 14, "font-weight": 600 }, name));
    whole.append(made("text", { ...font, x: EDGE, y: EDGE + 32, "font-size": 12 }, page));
    for (const one of drawings) {
      const box = one.getBoundingClientRect();
      whole.append(copyOf(one, box.left - left, box.top - top));
    }
    for (const one of stretches) {
      const box = one.getBoundingClientRect();
      whole.append(made("rect", { x: box.left - left, y: box.top - top, width: box.width, height: box.height, fill: getComputedStyle(one).backgroundColor }));
    }
    const write = (one, box, text) => {
      const { color, fontSize, fontWeight } = getComputedStyle(one);
      whole.append(made("text", { ...font, fill: color, x: box.left - left, y: box.top - top + box.height / 2, dy: "0.35em", "font-size": fontSize, "font-weight": fontWeight }, text));
    };
    for (const one of words) if (one.scrollWidth <= one.clientWidth + 1) write(one, one.getBoundingClientRect(), one.textContent.trim());
    for (const key of keys) {
      const mark = key.querySelector("svg");
      const box = key.getBoundingClientRect();
      if (mark) whole.append(copyOf(mark, mark.getBoundingClientRect().left - left, mark.getBoundingClientRect().top - top));
      write(key, mark ? new DOMRect(mark.getBoundingClientRect().right + 4, box.top, box.width, box.height) : box, key.textContent.trim().replace(/\s+/g, " "));
    }
    return { whole, width, height, name };
  };

  const file = (href, name) => {
    const link = document.createElement("a");
    link.href = href;
    link.download = name;
    link.click();
  };
  const pictureOf = async (figure) => {
    const { whole, width, height, name } = drawn(figure);
    const url = `data:image/svg+xml,${encodeURIComponent(new XMLSerializer().serializeToString(whole))}`;
    const picture = new Image();
    picture.src = url;
    await picture.decode();
    const canvas = document.createElement("canvas");
    canvas.width = width * SHARP;
    canvas.height = height * SHARP;
    canvas.getContext("2d").drawImage(picture, 0, 0, canvas.width, canvas.height);
    const called = name.toLowerCase().replace(/[^a-z0-9]+/g, "-").replace(/^-|-$/g, "").slice(0, 60) || "chart";
    return { canvas, called: `${called}.png` };
  };
  const save = ({ canvas, called }) => file(canvas.toDataURL("image/png"), called);
  // The clipboard of browsers is there on https and localhost only, and may be refused: then it becomes a file.
  const copy = async (made) => {
    try {
      const blob = await new Promise((resolve) => { made.canvas.toBlob(resolve); });
      await navigator.clipboard.write([new ClipboardItem({ "image/png": blob })]);
      return "Copied";
    } catch { save(made); return "Saved: no clipboard here"; }
  };
  document.addEventListener("click", (event) => {
    const button = event.target.closest("[data-picture]");
    if (!button) return;
    const done = pictureOf(button.closest("figure")).then(button.dataset.picture === "copy" ? copy : save);
    const note = button.querySelector("small");
    done.then((text) => { note.textContent = text || "Saved"; }).catch((problem) => { note.textContent = problem.message; });
  });
})();
