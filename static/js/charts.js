// Histograms, first against second. The server has drawn one; Plotly takes over when the browser has found time for it.
(() => {
  "use strict";
  let plotly = null;
  const library = () => {
    plotly ||= new Promise((resolve, reject) => {
      const script = document.createElement("script");
      script.src = document.body.dataset.plotly;
      script.onload = () => resolve(window.Plotly);
      script.onerror = () => { plotly = null; reject(new Error("the chart library could not be loaded")); };
      document.head.append(script);
    });
    return plotly;
  };

  const resolved = document.createElement("span");
  const colour = (name) => {
    resolved.style.color = `var(--${name})`;
    document.body.append(resolved);
    const found = getComputedStyle(resolved).color;
    resolved.remove();
    return found;
  };

  const draw = async (figure) => {
    const table = document.getElementById(figure.dataset.chart);
    const choice = figure.querySelector("select");
    const row = document.getElementById(choice.value);
    const plot = figure.querySelector(".plot");
    if (!table || !row) return;
    const whole = JSON.parse(row.dataset.chartRow);
    const all = JSON.parse(table.dataset.buckets);
    // Buckets beyond the first and last that hold anything only make the rest narrow.
    const held = all.map((_, i) => Boolean(whole.first[i] || whole.second[i]));
    const from = Math.max(held.indexOf(true) - 1, 0);
    const to = Math.max(held.lastIndexOf(true) + 2, 1);
    const buckets = all.slice(from, to);
    const shares = { first: whole.first.slice(from, to), second: whole.second.slice(from, to) };
    const bar = (name, values, fill) => ({ type: "bar", name, x: buckets, y: values, marker: { color: fill }, hovertemplate: "%{x}: %{y} % of waits<extra>" + name + "</extra>" });
    try {
      const Plotly = await library();
      if (!figure.dataset.drawn) plot.replaceChildren();
      const ink = colour("dim");
      const line = colour("line");
      await Plotly.react(plot, [bar("First", shares.first, colour("first-fill")), bar("Second", shares.second, colour("second-fill"))], {
        barmode: "group", bargap: 0.25, height: 260, margin: { l: 44, r: 24, t: 8, b: 42 },
        paper_bgcolor: "rgba(0,0,0,0)", plot_bgcolor: "rgba(0,0,0,0)",
        font: { family: getComputedStyle(document.body).fontFamily, size: 12, color: ink },
        xaxis: { type: "category", fixedrange: true, linecolor: line, tickangle: "auto" },
        yaxis: { ticksuffix: " %", rangemode: "tozero", gridcolor: line, zerolinecolor: line, fixedrange: true },
        legend: { orientation: "h", x: 1, xanchor: "right", y: 1.08 },
      }, { displayModeBar: false, responsive: true });
      figure.dataset.drawn = choice.value;
    } catch (problem) {
      if (!plot.firstElementChild) plot.textContent = `${problem.message}; the table below has the same figures.`;
    }
  };

  // Draws a figure once it comes near the window, and again in other colours.
  const lazy = new WeakMap();
  const seen = new IntersectionObserver((entries) => {
    for (const entry of entries) {
      if (!entry.isIntersecting) continue;
      seen.unobserve(entry.target);
      lazy.get(entry.target)(entry.target);
    }
  }, { rootMargin: "150px 0px" });
  const lazily = (figures, drawing) => {
    for (const figure of figures) {
      lazy.set(figure, drawing);
      seen.observe(figure);
    }
  };
  window.awrPlot = { library, colour, lazily };

  const idle = window.requestIdleCallback || ((work) => setTimeout(work, 200));
  const watch = (from) => lazily(from.querySelectorAll("figure[data-chart]"), (figure) => idle(() => draw(figure)));
  document.addEventListener("section-shown", (event) => watch(event.detail));
  document.addEventListener("change", (event) => {
    const figure = event.target.closest("figure[data-chart]");
    if (figure) draw(figure);
  });
  document.addEventListener("theme-changed", () => {
    document.querySelectorAll("figure[data-drawn]").forEach((figure) => lazy.get(figure)(figure));
  });
  watch(document);
})();
