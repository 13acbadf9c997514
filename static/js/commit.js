// The commit latency page: curves, of waits and writes, drawn by the server until the reader explores one with Plotly, the slider for fewer commits, keys.
(() => {
  "use strict";
  const $ = (selector, from = document) => from.querySelector(selector);
  const $$ = (selector, from = document) => [...from.querySelectorAll(selector)];

  // Curves: buckets as steps over a logarithmic time, and how much lies below each edge.
  const plots = $(".plots");
  const curves = plots ? JSON.parse(plots.dataset.curves) : [];
  const { library, colour, explorable, visible, ground, axis, BAR } = window.awrPlot;

  const line = (curve) => ({
    name: curve.name, mode: "lines", type: "scatter",
    line: { color: colour(curve.side === "second" ? "second-fill" : "first-fill"), width: 2, dash: curve.style === "lfpw" ? "dot" : "solid" },
  });
  const traces = {
    // A step is drawn to the right of its edge: the last share is repeated to end its bucket.
    shares: (curve) => ({ ...line(curve), x: curve.edges, y: [...curve.shares, curve.shares.at(-1)], text: [...curve.buckets, curve.buckets.at(-1)], line: { ...line(curve).line, shape: "hv" }, hovertemplate: "%{text}: %{y} % of waits<extra>%{fullData.name}</extra>" }),
    below: (curve) => ({ ...line(curve), mode: "lines+markers", marker: { size: 5, color: line(curve).line.color }, x: curve.edges, y: [0, ...curve.below], hovertemplate: "%{y} % took less than %{x:.3~g} ms<extra>%{fullData.name}</extra>" }),
  };

  // Buckets that hold next to nothing only make the rest narrow.
  const held = curves.flatMap((c) => c.shares.flatMap((share, i) => (share >= 0.05 ? [c.edges[i], c.edges[i + 1]] : [])));
  const range = held.length ? [Math.log10(Math.min(...held)) - 0.1, Math.log10(Math.max(...held)) + 0.1] : undefined;

  const draw = async (figure) => {
    const plot = $(".plot", figure);
    const Plotly = await library();
    if (!figure.dataset.drawn) plot.replaceChildren();
    await Plotly.react(plot, curves.map((curve) => ({ ...traces[figure.dataset.plot](curve), visible: visible(figure, curve.name) })), {
      ...ground(), height: 250, margin: { l: 46, r: 12, t: 26, b: 36 }, showlegend: false, hovermode: "closest",
      xaxis: { ...axis(), type: "log", dtick: 1, range, title: { text: "ms", standoff: 4 }, tickformat: "~r" },
      yaxis: { ...axis(figure), ticksuffix: " %" },
    }, BAR);
    figure.dataset.drawn = "1";
  };
  explorable($$("figure[data-plot]"), draw);

  // Slider: each figure is a straight line of the number of commits, whose base and slope the page brings.
  const slider = $("[data-what-if]");
  const seconds = (value) => {
    const [factor, unit] = Math.abs(value) >= 0.9995 || value === 0 ? [1, "s"] : Math.abs(value) >= 0.9995e-3 ? [1e3, "ms"] : [1e6, "µs"];
    const digits = Math.abs(value * factor) >= 100 ? { maximumFractionDigits: 0 } : { minimumSignificantDigits: value ? 3 : 1, maximumSignificantDigits: 3 };
    // Halves go to the even digit, as in the table below.
    return `${(value * factor).toLocaleString("en", { ...digits, roundingMode: "halfEven" })} ${unit}`.replace("-", "−");
  };
  const whole = (value) => Math.round(value).toLocaleString("en");
  const factorText = (factor) => {
    if (Math.abs(factor - 1) < 0.005) return "as now";
    return factor < 1 ? `1/${(1 / factor).toLocaleString("en", { maximumSignificantDigits: 3 })} of now` : `${factor.toFixed(2)} × now`;
  };
  const show = () => {
    const input = $("input", slider);
    const factor = 2 ** Number(input.value);
    const text = factorText(factor);
    $("[data-factor]", slider).textContent = text;
    input.setAttribute("aria-valuetext", text);
    for (const out of $$("output[data-base]", slider)) {
      const value = Number(out.dataset.base) + Number(out.dataset.slope) * factor;
      const now = Number(out.dataset.now);
      const change = now ? ` (${((value / now - 1) * 100).toLocaleString("en", { maximumFractionDigits: 1, signDisplay: "exceptZero" })} %)`.replace("-", "−") : "";
      out.textContent = out.dataset.unit === "s" ? seconds(value) + change : whole(value);
    }
    const beyond = $("[data-beyond]", slider);
    if (beyond) beyond.hidden = factor >= Number(slider.dataset.lowest) * 0.995 && factor <= Number(slider.dataset.highest) * 1.005;
  };
  if (slider) {
    slider.hidden = false;
    slider.addEventListener("input", show);
    slider.addEventListener("submit", (event) => event.preventDefault());
    show();
  }

  // Folded parts open for who is led to them, and on paper.
  const main = $("main");
  const unfold = () => {
    const goal = location.hash.length > 1 && document.getElementById(decodeURIComponent(location.hash.slice(1)));
    if (!goal || !main.contains(goal)) return;
    for (let fold = $(":scope > details.fold", goal) || goal.closest("details"); fold; fold = fold.parentElement.closest("details")) fold.open = true;
    goal.scrollIntoView();
  };
  addEventListener("hashchange", unfold);
  addEventListener("beforeprint", () => $$("details", main).forEach((fold) => { fold.open = true; }));

  // Keys j and k go from part to part; the rail marks the part that is read.
  const parts = $$("main > .card");
  const top = () => parseFloat(getComputedStyle(document.documentElement).getPropertyValue("--top")) + 40;
  const here = () => parts.filter((part) => part.getBoundingClientRect().top <= top()).length - 1;
  document.addEventListener("section-step", (event) => {
    const next = parts[Math.min(Math.max(here() + event.detail, 0), parts.length - 1)];
    next.scrollIntoView();
  });
  const links = new Map($$('.rail a[href^="#"]').map((a) => [a.hash.slice(1), a]));
  const mark = () => {
    const current = links.get((parts[Math.max(here(), 0)] || {}).id);
    for (const link of links.values()) link.toggleAttribute("aria-current", link === current);
    if (current) current.setAttribute("aria-current", "true");
  };
  addEventListener("scroll", () => requestAnimationFrame(mark), { passive: true });
  mark();

  // A wide table scrolls inside its card.
  const fit = () => $$(".scroll").forEach((box) => {
    box.classList.remove("wide");
    const table = $("table", box);
    box.classList.toggle("wide", Boolean(table) && table.scrollWidth > box.clientWidth + 1);
  });
  addEventListener("resize", fit);
  document.addEventListener("toggle", fit, true);
  fit();
  unfold();
})();
