// Elements and charts. All text enters by textContent and never as HTML: kernels' names and compilers' messages are
// anybody's. A chart is {id, title, section, build}, where build(context) returns null (nothing to show) or
// {spec, data, note, table, summary}: a Vega-Lite specification whose named data sets `data` fills, and the same as a
// table for those who cannot see it.
"use strict";
(() => {
  const { model } = warptune;

  const element = (name, properties = {}, ...children) => {
    const made = document.createElement(name);
    for (const [key, value] of Object.entries(properties))
      if (key === "class") made.className = value;
      else if (key in made && !key.startsWith("aria")) made[key] = value;
      else made.setAttribute(key, value);
    made.append(...children.filter((child) => child !== null && child !== undefined));
    return made;
  };

  // Columns are [{title, number}], rows arrays of texts; beyond `most` rows the table says how many it leaves out.
  const table = (columns, rows, caption, most = 200) => {
    const head = element("tr", {}, ...columns.map((c) =>
      element("th", { scope: "col", class: c.number ? "number" : "" }, c.title)));
    const body = rows.slice(0, most).map((row) => element("tr", {}, ...row.map((cell, i) =>
      element("td", { class: columns[i].number ? "number" : "text" }, model.valueText(cell)))));
    const left = rows.length > most ? element("p", { class: "note" }, `The first ${most} of ${rows.length} rows.`) : null;
    return element("div", { class: "scroll", tabIndex: 0, role: "region", "aria-label": caption },
      element("table", {}, element("thead", {}, head), element("tbody", {}, ...body)), left);
  };

  // An encoding's channel with a logarithmic scale over all of `values`, with round numbers at its axis; a linear one if
  // a value is below zero.
  const logAxis = (field, title, values, more = {}) => {
    const { known, low, high, signed } = model.scaleOf(values);
    if (!known.length) return { field, type: "quantitative", title };
    if (signed) return { field, type: "quantitative", title, scale: { zero: false, nice: true }, axis: { format: ",.4~r", ...more } };
    const pad = high > low ? (high / low) ** .03 : 1.1, domain = [low / pad, high * pad];
    return { field, type: "quantitative", title, scale: { type: "log", domain, nice: false },
      axis: { values: model.logTicks(...domain), format: ",.4~r", ...more } };
  };

  // Few points are large, many small and pale.
  const cloud = (count) => count < 150 ? { size: 30, opacity: .8 } : count < 600 ? { size: 20, opacity: .6 } : { size: 12, opacity: .45 };

  const font = 'system-ui, "Segoe UI", Roboto, "DejaVu Sans", sans-serif';
  const config = {
    background: "transparent", font, padding: 2, view: { stroke: null }, aria: false,
    axis: { labelColor: "var(--soft)", titleColor: "var(--soft)", domainColor: "var(--line)", tickColor: "var(--line)",
      gridColor: "var(--grid)", titleFontWeight: "normal", labelFontSize: 11, titleFontSize: 12, labelLimit: 160,
      titlePadding: 8, labelOverlap: "greedy", labelSeparation: 6 },
    legend: { labelColor: "var(--ink)", titleColor: "var(--soft)", titleFontWeight: "normal", labelFontSize: 11, titleFontSize: 11,
      orient: "top", symbolStrokeWidth: 2, labelLimit: 260, columns: 4, gradientOpacity: 1, symbolOpacity: 1 },
    header: { labelColor: "var(--ink)", titleColor: "var(--soft)" },
    range: { category: ["var(--c1)", "var(--c2)", "var(--c3)", "var(--c4)", "var(--c5)", "var(--c6)", "var(--c7)", "var(--c8)"] },
    point: { filled: true, color: "var(--point)", size: 14 }, line: { color: "var(--c1)", strokeWidth: 2 },
    bar: { color: "var(--c1)" }, rule: { color: "var(--ink)" }, text: { color: "var(--ink)", font },
    rect: { color: "var(--c1)" }, area: { color: "var(--c1)" },
  };

  // The library's own tooltip adds a style sheet, which the page's policy forbids, and takes HTML.
  let bubble = null;
  const tooltip = (handler, event, item, value) => {
    bubble ??= document.body.appendChild(element("div", { id: "vg-tooltip-element", role: "tooltip" }));
    if (value === null || value === undefined || value === "") return bubble.classList.remove("visible");
    const rows = typeof value === "object" ? Object.entries(value) : [["", value]];
    bubble.replaceChildren(element("table", {}, element("tbody", {}, ...rows.map(([name, text]) =>
      element("tr", {}, element("td", { class: "key" }, name), element("td", {}, model.valueText(text)))))));
    bubble.classList.add("visible");
    const box = bubble.getBoundingClientRect();
    bubble.style.left = `${Math.max(4, Math.min(event.clientX + 14, innerWidth - box.width - 8))}px`;
    bubble.style.top = `${event.clientY + 18 + box.height > innerHeight ? Math.max(4, event.clientY - box.height - 10) : event.clientY + 18}px`;
  };

  const drawing = new Map();  // chart -> promise of its view
  // Draws a chart, or only exchanges the data where the specification is still the same.
  const draw = async (id, place, spec, data) => {
    const text = JSON.stringify(spec);
    const before = warptune.views.get(id);
    if (before?.text === text && before.place === place) {
      for (const [name, values] of Object.entries(data)) before.view.data(name, values);
      await before.view.resize().runAsync();
      return;
    }
    const full = { $schema: "https://vega.github.io/schema/vega-lite/v6.json", width: "container", height: 260,
      autosize: { type: "fit-x", contains: "padding" }, ...spec, datasets: data, config: { ...config, ...spec.config } };
    const result = await window.vegaEmbed(place, full, { actions: false, ast: true, renderer: "svg", tooltip, defaultStyle: false });
    before?.view.finalize();
    warptune.views.set(id, { view: result.view, spec: full, text, place });
  };
  // One drawing of a chart at a time; the last one asked for wins.
  const enqueue = (id, ...rest) => {
    const next = (drawing.get(id) ?? Promise.resolve()).then(() => draw(id, ...rest));
    drawing.set(id, next.catch((error) => console.error(`chart ${id}: ${error.stack ?? error}`)));
    return drawing.get(id);
  };

  // A selector that a chart's build() reads from context.choices; it redraws that chart alone.
  const selector = (name, title, values, chosen, changed) => {
    const input = element("select", { name }, ...values.map((value) =>
      element("option", { value: value.value ?? value, selected: (value.value ?? value) === chosen }, value.title ?? value)));
    const label = element("label", { "data-chosen": "" }, title, input);
    const tell = () => { label.dataset.chosen = input.selectedOptions[0]?.textContent ?? ""; };
    input.addEventListener("change", () => { tell(); changed(input.value); });
    tell();
    return label;
  };

  Object.assign(warptune, { element, table, enqueue, selector, logAxis, cloud });
})();
