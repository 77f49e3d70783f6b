// What the session settled on: the finals with their intervals and ties, the winner beside the default, the best trials.
"use strict";
(() => {
  const { model, charts } = warptune;
  const lineOf = (finalist) => `${finalist.trial}${finalist.tied ? " (tied)" : ""}`;

  charts.push({
    id: "finals", title: "Finals", section: "result",
    build: ({ session: s }) => {
      const finals = s.json.finals;
      if (!finals.length) return null;
      const rows = finals.map((f, rank) => ({
        rank: rank + 1, name: `trial ${f.trial}`, by: 100 * (f.slower_by.estimate ?? 0),
        low: f.slower_by.low === null ? null : 100 * f.slower_by.low, high: f.slower_by.high === null ? null : 100 * f.slower_by.high,
        state: rank === 0 ? "winner" : f.tied ? "tied with the winner" : "slower",
        text: s.text(s.timed ? f.time_ms : f.value), visits: f.visits, configuration: model.configurationText(f.configuration),
      }));
      const bounded = rows.filter((row) => row.low !== null && row.high !== null && row.rank > 1);
      const percentOf = (f, key) => f.slower_by[key] === null ? "–" : `${model.digits(100 * f.slower_by[key])} %`;
      return {
        spec: {
          height: 24 * rows.length,
          encoding: { y: { field: "name", type: "nominal", sort: { field: "rank" }, title: null, axis: { grid: true } } },
          layer: [
            ...(bounded.length ? [{ data: { name: "bounded" }, mark: { type: "rule", strokeWidth: 2, color: "var(--point)" },
              encoding: { x: { field: "low", type: "quantitative" }, x2: { field: "high" } } }] : []),
            { data: { name: "finals" }, mark: { type: "point", size: 60 },
              encoding: {
                x: { field: "by", type: "quantitative", title: s.maximised ? "Worse than the winner by (%)" : "Slower than the winner by (%)" },
                color: { field: "state", type: "nominal", title: null,
                  scale: { domain: ["winner", "tied with the winner", "slower"], range: ["var(--c1)", "var(--c2)", "var(--point)"] } },
                tooltip: [{ field: "name", title: "which" }, { field: "text", title: s.timed ? "time" : "value" },
                  { field: "by", title: "slower by (%)", format: ".3~g" }, { field: "visits", title: "visits" },
                  { field: "configuration", title: "configuration" }] } },
          ],
        },
        data: bounded.length ? { finals: rows, bounded } : { finals: rows },
        summary: `${finals.length} finalists; ${finals.filter((f) => f.tied).length - 1} tie with the winner, trial ${finals[0].trial}.`,
        note: "Measured again in turn. " +
          (bounded.length ? "The lines are simultaneous 95 % intervals of the difference; a candidate whose line reaches 0 is tied." : ""),
        table: {
          columns: [{ title: "trial" }, { title: s.axis(), number: true }, { title: "±", number: true }, { title: "slower by", number: true },
            { title: "at least", number: true }, { title: "at most", number: true }, { title: "visits", number: true }, { title: "configuration" }],
          rows: finals.map((f) => [lineOf(f), model.digits(s.scaled(s.timed ? f.time_ms : f.value), 4),
            model.percent(s.timed ? f.relative_error : f.value_error), percentOf(f, "estimate"), percentOf(f, "low"), percentOf(f, "high"),
            f.visits, model.configurationText(f.configuration)]),
        },
      };
    },
  });

  charts.push({
    id: "configuration", title: "Winner's configuration", section: "result",
    build: ({ session: s }) => {
      const winner = s.json.winner?.configuration ?? (s.best() && s.configuration(s.best().i));
      if (!winner) return null;
      const usual = s.json.default?.configuration;
      const columns = [{ title: "parameter" }, { title: s.json.winner ? "winner" : "best so far" }];
      if (usual) columns.push({ title: "default" }, { title: "" });
      return {
        tableOpen: true,
        table: { columns, rows: Object.entries(winner).map(([name, value]) => [name, value,
          ...(usual ? [usual[name], String(usual[name]) === String(value) ? "" : "differs"] : [])]) },
      };
    },
  });

  charts.push({
    id: "best-trials", title: "Best trials of the search", section: "result", wide: true,
    build: ({ session: s }) => {
      if (!s.correct.length) return null;
      const best = [...s.correct].sort((a, b) => s.maximised ? s.values[b] - s.values[a] : s.values[a] - s.values[b]).slice(0, 50);
      const varied = s.varied(), metrics = Object.keys(s.trials.metrics);
      const more = [["registers", "registers"], ["occupancy", "occupancy"], ["spilled_bytes", "spilled bytes"]].filter(([name]) => s.trials[name]);
      return {
        table: {
          columns: [{ title: "trial", number: true }, { title: s.axis(), number: true }, ...metrics.map((title) => ({ title, number: true })),
            ...more.map(([, title]) => ({ title, number: true })), ...varied.map((p) => ({ title: p.name, number: true }))],
          rows: best.map((i) => [s.trials.id[i], model.digits(s.scaled(s.values[i]), 4), ...metrics.map((m) => model.digits(s.trials.metrics[m]?.[i])),
            ...more.map(([name]) => name === "occupancy" ? model.percent(s.trials[name][i]) : s.trials[name][i]),
            ...varied.map((p) => s.parameter(p, i))]),
        },
        folded: true,
        note: "As the search measured them, each at its own time. Where there were finals, those decided who won.",
      };
    },
  });
})();
