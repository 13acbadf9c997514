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
  const colour = (name) => getComputedStyle(document.body).getPropertyValue(name);
  const lines = (figure) => {
    const card = figure.closest("section");
    const about = [card && card.querySelector(".fold, h2, h3"), figure.querySelector("[data-name]")];
    const chosen = figure.querySelector("select");
    const said = about.map((one) => (one ? one.textContent.trim().replace(/\s+/g, " ") : ""));
    if (chosen) said.push(chosen.selectedOptions[0].textContent.trim());
    return [[...new Set(said.filter(Boolean))].join(" · "), document.title.replace(/ · awrdiff$/, "")];
  };

  const drawn = (figure) => {
    const drawings = [...figure.querySelectorAll(".plot .main-svg, svg.drawing")].filter((one) => one.checkVisibility());
    const keys = [...figure.querySelectorAll(".keys li")].filter((one) => one.checkVisibility());
    const boxes = [...drawings, ...keys].map((one) => one.getBoundingClientRect());
    const left = Math.min(...boxes.map((box) => box.left)) - EDGE;
    const top = Math.min(...boxes.map((box) => box.top)) - EDGE - 44; // two lines of text
    const width = Math.max(...boxes.map((box) => box.right)) - left + EDGE;
    const height = Math.max(...boxes.map((box) => box.bottom)) - top + EDGE;
    const style = getComputedStyle(document.body);
    const font = { "font-family": style.fontFamily, fill: style.color };
    const whole = made("svg", { xmlns: SVG, width, height });
    const ground = getComputedStyle(figure.closest(".card") || document.body).backgroundColor;
    whole.append(made("rect", { width, height, fill: ground }));
    const [name, page] = lines(figure);
    whole.append(made("text", { ...font, x: EDGE, y: EDGE + 14, "font-size": 14, "font-weight": 600 }, name));
    whole.append(made("text", { ...font, x: EDGE, y: EDGE + 32, "font-size": 12 }, page));
    for (const one of drawings) {
      const box = one.getBoundingClientRect();
      whole.append(copyOf(one, box.left - left, box.top - top));
    }
    for (const key of keys) {
      const box = key.getBoundingClientRect();
      const fill = getComputedStyle(key.querySelector("rect")).fill;
      whole.append(made("rect", { x: box.left - left, y: box.top - top + 4, width: 11, height: 11, fill }));
      whole.append(made("text", { ...font, x: box.left - left + 16, y: box.top - top + 14, "font-size": 13 }, key.textContent.trim()));
    }
    return { whole, width, height, name };
  };

  const file = (href, name) => {
    const link = document.createElement("a");
    link.href = href;
    link.download = name;
    link.click();
  };
  const take = async (figure) => {
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
    file(canvas.toDataURL("image/png"), `${called}.png`);
  };
  document.addEventListener("click", (event) => {
    const button = event.target.closest("[data-picture]");
    if (button) take(button.closest("figure")).catch((problem) => { button.textContent = `PNG: ${problem.message}`; });
  });
})();
