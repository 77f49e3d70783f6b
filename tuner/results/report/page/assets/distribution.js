// How the configurations' times are distributed, and where winner and default stand in it.
"use strict";
(() => {
  const { model, charts } = warptune;
  charts.push({
    id: "distribution", title: "Distribution of times", section: "search",
    build: ({ session: s }) => {
      if (s.correct.length < 2) return null;
      const scale = model.scaleOf(s.correct.map((i) => s.scaled(s.values[i]))), values = [...scale.known].sort((a, b) => a - b);
      if (!(scale.high > scale.low)) return null;
      const count = Math.max(8, Math.min(60, Math.ceil(2 * Math.cbrt(values.length))));
      const edge = (k) => scale.at(k / count);
      const bins = Array.from({ length: count }, (_, k) => ({ from: edge(k), to: edge(k + 1), trials: 0 }));
      for (const v of values) bins[Math.min(count - 1, Math.floor(scale.share(v) * count))].trials += 1;
      for (const bin of bins) bin.range = `${model.digits(bin.from)} to ${model.digits(bin.to)}${s.timed ? ` ${s.unit}` : ""}`;
      const marks = [["winner", s.values[s.winner()?.i]], ["default", s.found(s.json.default?.trial)]]
        .filter(([, value]) => value).map(([name, value]) => ({ name, value: s.scaled(value), text: s.text(value) }));
      const best = marks[0]?.value;
      const near = best ? values.filter((v) => Math.abs(v - best) <= .05 * Math.abs(best)).length : 0;
      const { field, ...x } = warptune.logAxis("from", s.axis(), [...values, ...marks.map((m) => m.value)], { grid: false });
      return {
        spec: {
          encoding: { x },
          layer: [
            { data: { name: "bins" }, mark: { type: "rect", color: "var(--point)", stroke: "var(--ground)", strokeWidth: 1 },
              encoding: { x: { ...x, field: "from" }, x2: { field: "to" },
                y: { field: "trials", type: "quantitative", title: "Trials" }, y2: { datum: 0 },
                tooltip: [{ field: "range", title: s.timed ? "time" : "value" }, { field: "trials", title: "trials" }] } },
            { data: { name: "marks" }, mark: { type: "rule", strokeWidth: 2 },
              encoding: { x: { ...x, field: "value" }, color: { field: "name", type: "nominal", title: null, scale: { domain: marks.map((m) => m.name), range: ["var(--c1)", "var(--c2)"] } },
                tooltip: [{ field: "name", title: "which" }, { field: "text", title: s.timed ? "time" : "value" }] } },
          ],
        },
        data: { bins, marks },
        summary: `${values.length} correct trials between ${s.text(values[0] * s.factor)} and ${s.text(values.at(-1) * s.factor)}.`,
        note: best ? `${near.toLocaleString("en")} of ${values.length.toLocaleString("en")} correct trials are within 5 % of the winner.` : "",
        table: { columns: [{ title: s.axis() }, { title: "trials", number: true }], rows: bins.map((bin) => [bin.range, bin.trials]) },
      };
    },
  });
})();
