// What the parameters do: the best with each value, any two against each other, and whole configurations as lines.
"use strict";
(() => {
  const { model, charts } = warptune;
  const shades = { scheme: "viridis" };  // dark is good, on paper and on dark screens alike
  // How many times as bad as the best. Values on both sides of zero have no ratio: their distance from the best counts.
  const over = (s, value) => {
    const best = s.best().value;
    if (best * value <= 0) return 1 + Math.abs(value - best) / Math.abs(best || 1);
    return s.maximised === best > 0 ? best / value : value / best;
  };

  charts.push({
    id: "values", title: "Best with each value", section: "parameters",
    build: ({ session: s }) => {
      const varied = s.varied();
      if (!varied.length || !s.correct.length) return null;
      const cells = [];
      for (const p of varied) {
        const best = p.values.map(() => null);
        for (const i of s.correct) {
          const k = p.trials[i];
          if (k >= 0 && (best[k] === null || s.better(s.values[i], best[k]))) best[k] = s.values[i];
        }
        p.values.forEach((value, k) => {
          if (p.values.length > 24 && k % Math.ceil(p.values.length / 24)) return;
          cells.push({ parameter: p.name, place: k, value: String(value), cost: best[k] === null ? null : Math.min(100, 100 * (over(s, best[k]) - 1)),
            text: best[k] === null ? "never correct" : `${s.text(best[k])}, ${model.percent(over(s, best[k]) - 1)} more than the best` });
        });
      }
      const legend = { title: "over the best (%)", gradientLength: 120, values: [0, 50, 100] };
      return {
        spec: {
          height: 24 * varied.length, data: { name: "cells" },
          encoding: { x: { field: "place", type: "ordinal", axis: null }, y: { field: "parameter", type: "nominal", sort: null, title: null, axis: { domain: false, ticks: false } } },
          layer: [
            { mark: { type: "rect", stroke: "var(--ground)", strokeWidth: 2 }, encoding: {
              color: { condition: { test: "datum.cost === null", value: "var(--grid)" }, field: "cost", type: "quantitative", scale: { ...shades, domain: [0, 100] }, legend },
              tooltip: [{ field: "parameter" }, { field: "value" }, { field: "text", title: "best" }] } },
            { mark: { type: "text", fontSize: 10, limit: 60 }, encoding: { text: { field: "value" }, tooltip: { value: null },
              color: { condition: [{ test: "datum.cost === null", value: "var(--soft)" }, { test: "datum.cost < 55", value: "#ffffff" }], value: "#101418" } } },
          ],
        },
        data: { cells },
        summary: `The best time with each value of ${varied.length} parameters.`,
        note: "The darker, the nearer to the best (100 % and more: light). A value that is dark cannot be ruled out; a row that is all dark matters little.",
        table: { columns: [{ title: "parameter" }, { title: "value", number: true }, { title: "best with it" }], rows: cells.map((c) => [c.parameter, c.value, c.text]) },
      };
    },
  });

  // Those first whose best differs most between values: what a heat map shows unless told otherwise.
  const telling = (s, scale = model.scaleOf(s.correct.map((i) => s.values[i]))) => s.varied().map((p) => {
    const best = p.values.map(() => null);
    for (const i of s.correct) {
      const k = p.trials[i];
      if (k >= 0 && (best[k] === null || s.better(s.values[i], best[k]))) best[k] = s.values[i];
    }
    const shares = best.filter((value) => value !== null && (scale.signed || value > 0)).map(scale.share);
    return { p, spread: shares.length < 2 ? 0 : Math.max(...shares) - Math.min(...shares) };
  }).sort((a, b) => b.spread - a.spread).map(({ p }) => p);

  const measures = [{ value: "best", title: "best" }, { value: "median", title: "median" }, { value: "trials", title: "number of trials" }];
  charts.push({
    id: "heat-map", title: "Two parameters", section: "parameters",
    build: ({ session: s, choices }) => {
      const varied = s.varied();
      if (varied.length < 2 || !s.correct.length) return null;
      const named = (name, usual) => varied.find((p) => p.name === name) ?? usual;
      const order = telling(s), x = named(choices.x, order[0]), y = named(choices.y, order.find((p) => p !== x)), measure = choices.measure ?? "best";
      const groups = new Map();
      for (const i of measure === "trials" ? Array.from({ length: s.count }, (_, k) => k) : s.correct) {
        const a = x.trials[i], b = y.trials[i];
        if (a < 0 || b < 0) continue;
        const key = a * y.values.length + b, found = groups.get(key);
        if (found) found.push(i);
        else groups.set(key, [i]);
      }
      const cells = [];
      for (const [key, list] of groups) {
        const values = list.map((i) => s.values[i]).filter((v) => v !== null && v !== undefined);
        const value = measure === "trials" ? list.length : measure === "median" ? model.median(values)
          : values.reduce((best, v) => s.better(v, best) ? v : best);
        cells.push({ x: x.values[Math.floor(key / y.values.length)], y: y.values[key % y.values.length], trials: list.length,
          value: measure === "trials" ? value : s.scaled(value), text: measure === "trials" ? `${value} trials` : s.text(value) });
      }
      const title = measure === "trials" ? "trials" : `${measure}, ${s.timed ? s.unit : s.objective}`;
      const dark = (measure === "trials" || s.maximised) ? { scheme: "viridis", reverse: true } : { scheme: "viridis" };
      const names = varied.map((p) => p.name), shown = cells.map((c) => c.value);
      const linear = measure === "trials" || model.scaleOf(shown).signed;
      const ticks = linear ? undefined : model.logTicks(Math.min(...shown), Math.max(...shown), 4);
      return {
        selectors: [{ name: "x", title: "across", values: names, chosen: x.name }, { name: "y", title: "up", values: names, chosen: y.name },
          { name: "measure", title: "colour", values: measures, chosen: measure }],
        spec: {
          height: Math.max(120, Math.min(420, 26 * y.values.length)), data: { name: "cells" },
          mark: { type: "rect", stroke: "var(--ground)", strokeWidth: 1 },
          encoding: {
            x: { field: "x", type: "ordinal", title: x.name, sort: x.values, scale: { domain: x.values }, axis: { labelAngle: 0 } },
            y: { field: "y", type: "ordinal", title: y.name, sort: [...y.values].reverse(), scale: { domain: [...y.values].reverse() } },
            color: { field: "value", type: "quantitative", scale: { ...dark, type: linear ? "linear" : "log", nice: false },
              legend: { title, gradientLength: 180, values: ticks, format: ",.4~r" } },
            tooltip: [{ field: "x", title: x.name }, { field: "y", title: y.name }, { field: "text", title: measure }, { field: "trials", title: "trials" }],
          },
        },
        data: { cells },
        summary: `${measure} over ${x.name} and ${y.name}: ${cells.length} of ${x.values.length * y.values.length} pairs were tried.`,
        note: "Over all other parameters. Empty cells were never correct, or never tried.",
        table: { columns: [{ title: x.name, number: true }, { title: y.name, number: true }, { title: measure, number: true }, { title: "trials", number: true }],
          rows: cells.map((c) => [c.x, c.y, c.text, c.trials]) },
      };
    },
  });

  const lines = 150;
  charts.push({
    id: "parallel", title: "Parallel coordinates", section: "parameters", wide: true,
    build: ({ session: s }) => {
      const varied = s.varied().slice(0, 16);
      if (varied.length < 2 || s.correct.length < 2) return null;
      const sorted = [...s.correct].sort((a, b) => s.maximised ? s.values[b] - s.values[a] : s.values[a] - s.values[b]);
      const shown = [...new Set([...sorted.slice(0, lines), ...model.sample(sorted, lines)])].reverse();
      const height = (p, k) => p.values.length > 1 ? k / (p.values.length - 1) : .5;
      const rows = [], labels = [];
      for (const i of shown)
        for (const p of varied)
          if (p.trials[i] >= 0)
            rows.push({ trial: s.trials.id[i], parameter: p.name, at: height(p, p.trials[i]), rank: Math.min(100, 100 * (over(s, s.values[i]) - 1)),
              best: i === sorted[0], text: s.text(s.values[i]), configuration: model.configurationText(s.configuration(i)) });
      for (const p of varied)
        p.values.forEach((value, k) => {
          if (k % Math.ceil(p.values.length / 10) === 0) labels.push({ parameter: p.name, at: height(p, k), value: String(value) });
        });
      const x = { field: "parameter", type: "nominal", sort: varied.map((p) => p.name), title: null, scale: { type: "point", padding: .4 },
        axis: { grid: true, domain: false, ticks: false, labelAngle: varied.length > 6 ? -20 : 0 } };
      const y = { field: "at", type: "quantitative", axis: null, scale: { domain: [-.03, 1.03] } };
      const tips = [{ field: "trial" }, { field: "text", title: s.timed ? "time" : "value" }, { field: "configuration" }];
      return {
        spec: {
          height: 320, encoding: { x, y },
          layer: [
            { data: { name: "rows" }, mark: { type: "line", strokeWidth: 1, opacity: .45 }, encoding: { detail: { field: "trial" },
              color: { field: "rank", type: "quantitative", scale: { ...shades, domain: [0, 100] }, legend: { title: "over the best (%)", gradientLength: 120, values: [0, 50, 100] } },
              tooltip: tips } },
            { data: { name: "rows" }, transform: [{ filter: "datum.best" }], mark: { type: "line", strokeWidth: 3, color: "var(--c2)" },
              encoding: { detail: { field: "trial" }, tooltip: tips } },
            { data: { name: "labels" }, mark: { type: "text", align: "left", dx: 5, fontSize: 10, stroke: "var(--ground)", strokeWidth: 3, strokeOpacity: .8 },
              encoding: { text: { field: "value" } } },
            { data: { name: "labels" }, mark: { type: "text", align: "left", dx: 5, fontSize: 10 }, encoding: { text: { field: "value" } } },
          ],
        },
        data: { rows, labels },
        summary: `${shown.length} configurations as lines over ${varied.length} parameters.`,
        note: `${shown.length.toLocaleString("en")} of ${s.correct.length.toLocaleString("en")} correct trials: the ${Math.min(lines, sorted.length)} best, and others evenly taken by rank. ` +
          `The thick line is the best.${s.varied().length > 16 ? " The first 16 parameters." : ""}`,
      };
    },
  });
})();
