// Histograms, first against second. The server has drawn one; Plotly takes over when the reader explores it.
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
    const rgb = getComputedStyle(resolved).color;
    resolved.remove();
    return rgb;
  };

  // What all have in common. A picture is taken of the page's own (picture.js).
  const BAR = { displaylogo: false, modeBarButtonsToRemove: ["toImage", "select2d", "lasso2d"], responsive: true };
  const ground = () => ({ paper_bgcolor: "rgba(0,0,0,0)", plot_bgcolor: "rgba(0,0,0,0)", font: { family: getComputedStyle(document.body).fontFamily, size: 12, color: colour("dim") } });
  // What its keys hide is not drawn here either.
  const visible = (figure, name) => ![...figure.querySelectorAll(".keys .out")].some((key) => key.textContent.trim() === name);
  const axis = (figure) => ({ gridcolor: colour("line"), linecolor: colour("line"), zerolinecolor: colour("line"), zeroline: Boolean(figure), showspikes: !figure, spikemode: "across", spikethickness: 1, spikecolor: colour("dim"), spikedash: "solid", ...(figure && figure.dataset.log ? { type: "log" } : { rangemode: "tozero" }) });

  const draw = async (figure) => {
    const Plotly = await library();
    const table = document.getElementById(figure.dataset.chart);
    const choice = figure.querySelector("select");
    const row = document.getElementById(choice.value);
    const plot = figure.querySelector(".plot");
    if (!table || !row) return;
    const whole = JSON.parse(row.dataset.chartRow);
    const all = whole.buckets;
    // Buckets beyond the first and last that hold anything only make the rest narrow.
    const held = all.map((_, i) => Boolean(whole.first[i] || whole.second[i]));
    const from = Math.max(held.indexOf(true) - 1, 0);
    const to = Math.max(held.lastIndexOf(true) + 2, 1);
    const buckets = all.slice(from, to);
    const shares = { first: whole.first.slice(from, to), second: whole.second.slice(from, to) };
    // Every name, or every second, third … where they would run into each other.
    const pitch = (plot.clientWidth - 92) / buckets.length;
    const every = Math.max(1, Math.ceil(Math.max(...buckets.map((b) => b.length)) * 7 / pitch));
    const named = buckets.map((_, i) => i).filter((i) => i % every === 0);
    const lines = (values) => { let sum = 0; const whole = values.reduce((all, v) => all + (v || 0), 0); return values.map((v) => (v === null || !whole ? null : (sum += v) / whole * 100)); };
    const line_of = (name, values, stroke) => ({ type: "scatter", mode: "lines", name, x: buckets.map((_, i) => i + 0.5), y: lines(values), yaxis: "y2", connectgaps: true, visible: visible(figure, name), line: { color: stroke, width: 2 }, customdata: buckets, hovertemplate: "%{y:.1f} % up to %{customdata}<extra>" + name + "</extra>" });
    const bar = (name, values, fill) => ({ type: "bar", name, visible: visible(figure, name), x: buckets.map((_, i) => i), y: values, customdata: buckets, marker: { color: fill }, hovertemplate: "%{customdata}: %{y} % of waits<extra>" + name + "</extra>" });
    if (!figure.dataset.drawn) plot.replaceChildren();
    figure.dataset.drawn = choice.value; // from here on no drawing of the server's replaces it
    await Plotly.react(plot, [bar("First", shares.first, colour("first-fill")), bar("Second", shares.second, colour("second-fill")), line_of("First", shares.first, colour("first-fill")), line_of("Second", shares.second, colour("second-fill"))], {
      ...ground(), barmode: "group", bargap: 0.25, height: 250, margin: { l: 44, r: 48, t: 26, b: 30 },
      xaxis: { ...axis(), tickangle: 0, tickvals: named, ticktext: named.map((i) => buckets[i]), range: [-0.5, buckets.length - 0.5], showgrid: false },
      yaxis: { ...axis(figure), ticksuffix: " %" },
      yaxis2: { overlaying: "y", side: "right", range: [0, 100], tickvals: [0, 25, 50, 75, 100], ticktext: ["0 %", "25 %", "50 %", "75 %", "100 %"], showgrid: false, zeroline: false, fixedrange: true },
      showlegend: false,
    }, BAR);
  };

  // The course of figures over several reports: bars on each other, or, where the axis is not from 0, lines to compare.
  const course = async (figure) => {
    const Plotly = await library();
    const plot = figure.querySelector(".plot");
    const data = JSON.parse(figure.dataset.course);
    const bars = data.stacked && !figure.dataset.log;
    const every = Math.ceil(data.names.length * 120 / plot.clientWidth); // pixels of a name
    const named = data.x.filter((at) => at % every === 0);
    const fill = (cls) => { const key = cls && figure.querySelector(`.keys [class="${cls}"]`); return key ? getComputedStyle(key).fill : colour("first-fill"); };
    if (!figure.dataset.drawn) plot.replaceChildren();
    figure.dataset.drawn = "1";
    await Plotly.react(plot, data.runs.map((run) => ({
      ...(bars ? { type: "bar", marker: { color: fill(run.cls) } } : { type: "scatter", mode: "lines+markers", line: { color: fill(run.cls), dash: "dot" } }),
      name: run.name, visible: visible(figure, run.name), x: data.x, y: run.y, customdata: run.texts, hovertemplate: "%{customdata}<extra></extra>",
    })), {
      ...ground(), barmode: "stack", bargap: 0.28, height: 340, margin: { l: 56, r: 20, t: 30, b: 40 }, showlegend: false, hovermode: "closest",
      xaxis: { ...axis(), showgrid: false, tickangle: 0, automargin: true, ...(data.names.length ? { tickvals: named, ticktext: named.map((at) => data.names[at]) } : { nticks: 6 }) },
      yaxis: { ...axis(figure), tickformat: "~s", ticksuffix: data.unit },
    }, BAR);
  };

  // The library is large: it is loaded for a chart that somebody wants to explore, never by scrolling.
  const drawings = new WeakMap();
  const explorable = (figures, drawing) => {
    for (const figure of figures) {
      drawings.set(figure, drawing);
      figure.querySelector("[data-explore]").hidden = Boolean(figure.dataset.drawn);
    }
  };
  const explore = async (figure, button) => {
    const words = button.textContent;
    button.disabled = true;
    button.textContent = "Loading…";
    const plot = figure.querySelector(".plot");
    const name = plot.querySelector("svg[aria-label]");
    try {
      await drawings.get(figure)(figure);
      plot.setAttribute("role", "group"); // it has buttons now
      if (name) plot.setAttribute("aria-label", name.getAttribute("aria-label"));
      button.hidden = true;
      figure.querySelector("[data-log]").hidden = false;
      button.textContent = words;
    } catch (problem) {
      button.textContent = `Try again: ${problem.message}`;
    }
    button.disabled = false;
  };
  document.addEventListener("click", (event) => {
    const button = event.target.closest("[data-explore]");
    if (button) explore(button.closest("figure"), button);
    const log = event.target.closest("[data-log]");
    if (!log) return;
    const figure = log.closest("figure");
    log.setAttribute("aria-pressed", String(log.getAttribute("aria-pressed") !== "true"));
    figure.dataset.log = log.getAttribute("aria-pressed") === "true" ? "1" : "";
    drawings.get(figure)(figure);
  });
  window.awrPlot = { library, colour, explorable, visible, ground, axis, BAR };

  const watch = (from) => {
    explorable(from.querySelectorAll("figure[data-chart]"), draw);
    explorable(from.querySelectorAll("figure[data-course]"), course);
  };
  document.addEventListener("section-shown", (event) => watch(event.detail));
  // Another event: the server draws it at once; a chart that Plotly has taken over already changes by itself.
  const choose = async (figure) => {
    const url = new URL(figure.dataset.url, location.href);
    const shown = { ...window.awr.parameters(), row: figure.querySelector("select").value.slice(2), only: "chart" };
    for (const [name, value] of Object.entries(shown)) url.searchParams.set(name, value);
    if (figure.dataset.drawn) draw(figure);
    try {
      const answer = await fetch(url, { headers: { "HX-Request": "true" } });
      if (!answer.ok) throw new Error(String(answer.status));
      const made = new DOMParser().parseFromString(await answer.text(), "text/html");
      if (!figure.dataset.drawn) figure.querySelector(".plot").replaceWith(made.querySelector(".plot"));
      figure.querySelector(".percentiles").replaceWith(made.querySelector(".percentiles"));
      figure.dispatchEvent(new CustomEvent("chart-drawn", { bubbles: true }));
    } catch { figure.querySelector(".percentiles tbody").replaceChildren(); }
  };
  document.addEventListener("change", (event) => {
    const figure = event.target.closest("figure[data-chart]");
    if (figure) choose(figure);
  });
  const again = (figure) => { if (figure.dataset.drawn) drawings.get(figure)(figure); };
  document.addEventListener("theme-changed", () => document.querySelectorAll("figure[data-drawn]").forEach(again));
  document.addEventListener("keys-chosen", (event) => again(event.target));
  watch(document);
})();
