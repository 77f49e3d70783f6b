// What `warptune explain` found about the parameters, drawn: how much each matters to a fitted model, and what single
// changes from the winner cost. Nothing is computed here.
"use strict";
(() => {
  const { model, charts } = warptune;

  charts.push({
    id: "importance", title: "Importance of parameters", section: "parameters",
    build: ({ session: s }) => {
      const found = s.json.explained?.importance;
      const rows = (found?.parameters ?? []).map((one) => ({ parameter: one.parameter, loss: 100 * Math.max(0, one.loss), text: model.percent(Math.max(0, one.loss)) }));
      if (!rows.length) return null;
      return {
        spec: {
          data: { name: "importance" }, height: 22 * rows.length, mark: { type: "bar", height: 13 },
          encoding: { y: { field: "parameter", type: "nominal", sort: rows.map((row) => row.parameter), title: null },
            x: { field: "loss", type: "quantitative", title: "Explained variance lost without it (%)" },
            tooltip: [{ field: "parameter" }, { field: "text", title: "lost" }] },
        },
        data: { importance: rows },
        summary: rows.map((row) => `${row.parameter}: ${row.text}`).join("; "),
        note: `By a model that explains ${model.percent(found.explained, 3)} of the variance of trials it was not fitted to (${found.trials.toLocaleString("en")} trials). ` +
          "A parameter that is shuffled loses what it is worth.",
        table: { columns: [{ title: "parameter" }, { title: "explained variance lost", number: true }], rows: rows.map((row) => [row.parameter, row.text]) },
      };
    },
  });

  const most = 40;
  charts.push({
    id: "changes", title: "Single changes from the winner", section: "parameters",
    build: ({ session: s }) => {
      const all = (s.json.explained?.single_changes ?? []).flatMap((one) => one.others.map((other) => ({ ...other, parameter: one.parameter, winner: one.value })));
      const measured = all.filter((one) => one.slower_by && one.slower_by.estimate !== null).sort((a, b) => b.slower_by.estimate - a.slower_by.estimate);
      if (!measured.length) return null;
      // Measured together once only: an interval without an end is none.
      const interval = ({ low, high, estimate }) => high === null ? { low: 100 * estimate, high: 100 * estimate } : { low: 100 * low, high: 100 * high };
      const rows = measured.slice(0, most).map((one) => ({ name: `${one.parameter}: ${one.winner} → ${one.value}`, by: 100 * one.slower_by.estimate,
        ...interval(one.slower_by),
        trial: one.trial, text: model.percent(one.slower_by.estimate, 3) }));
      return {
        spec: {
          height: 20 * rows.length,
          encoding: { y: { field: "name", type: "nominal", sort: rows.map((row) => row.name), title: null, axis: { labelLimit: 230, grid: true } } },
          layer: [
            { data: { name: "changes" }, mark: { type: "rule", strokeWidth: 2, color: "var(--point)" }, encoding: { x: { field: "low", type: "quantitative" }, x2: { field: "high" } } },
            { data: { name: "changes" }, mark: { type: "point", size: 45, color: "var(--c1)", opacity: 1 },
              encoding: { x: { field: "by", type: "quantitative", title: s.maximised ? "Worse than the winner by (%)" : "Slower than the winner by (%)" },
                tooltip: [{ field: "name", title: "change" }, { field: "text", title: "costs" }, { field: "trial" }] } },
          ],
        },
        data: { changes: rows },
        summary: rows.map((row) => `${row.name}: ${row.text}`).join("; "),
        note: `What differs from the winner in one parameter, with 95 % intervals${measured.length > most ? `; the ${most} dearest of ${measured.length}` : ""}. \`warptune explain ${s.json.reference}\` says what was not tried, and what to try next.`,
        table: { columns: [{ title: "parameter" }, { title: "winner", number: true }, { title: "other", number: true }, { title: "" }, { title: "costs", number: true }, { title: "trial", number: true }],
          rows: all.map((one) => [one.parameter, one.winner, one.value, one.state, one.slower_by ? model.percent(one.slower_by.estimate, 3) : "–", one.trial]) },
      };
    },
  });

  charts.push({
    id: "interactions", title: "Interactions", section: "parameters",
    build: ({ session: s }) => {
      const found = s.json.explained?.interactions;
      if (!found?.strong?.length) return null;
      const side = (one) => `${one.parameter}=${one.value} (${model.percent(one.cost, 3)})`;
      return {
        note: `Pairs of changes that cost together other than alone; ${found.pairs} ${found.pairs === 1 ? "pair was" : "pairs were"} measured.`,
        table: { columns: [{ title: "change" }, { title: "and" }, { title: "expected", number: true }, { title: "together", number: true }, { title: "trial", number: true }],
          rows: found.strong.map((one) => [side(one.changes[0]), side(one.changes[1]), model.percent(one.expected, 3), model.percent(one.together, 3), one.trial]) },
      };
    },
  });
})();
