// Which configurations failed, how and why.
"use strict";
(() => {
  const { model, charts } = warptune;
  charts.push({
    id: "outcomes", title: "Outcomes", section: "failures",
    build: ({ session: s }) => {
      const counts = s.outcomes.map(() => 0);
      for (let i = 0; i < s.count; ++i) counts[s.trials.outcome[i]] += 1;
      if (counts[0] === s.count) return null;
      const rows = s.outcomes.map((name, k) => ({ outcome: name.replaceAll("_", " "), trials: counts[k], share: model.percent(counts[k] / s.count, 3), good: k === 0 }))
        .filter((row) => row.trials > 0).sort((a, b) => b.trials - a.trials);
      return {
        spec: {
          data: { name: "outcomes" }, height: 26 * rows.length,
          encoding: { y: { field: "outcome", type: "nominal", sort: rows.map((row) => row.outcome), title: null }, x: { field: "trials", type: "quantitative", title: "Trials" } },
          layer: [
            { mark: { type: "bar", height: 16 }, encoding: { color: { field: "good", type: "nominal", legend: null, scale: { domain: [true, false], range: ["var(--point)", "var(--fail)"] } },
              tooltip: [{ field: "outcome" }, { field: "trials" }, { field: "share" }] } },
            { mark: { type: "text", align: "left", dx: 4, fontSize: 11 }, encoding: { text: { field: "trials" } } },
          ],
        },
        data: { outcomes: rows },
        summary: rows.map((row) => `${row.outcome}: ${row.trials}`).join(", "),
        table: { columns: [{ title: "outcome" }, { title: "trials", number: true }, { title: "share", number: true }],
          rows: rows.map((row) => [row.outcome, row.trials, row.share]) },
      };
    },
  });

  // Messages differ in numbers and names; the first line is what they have in common.
  charts.push({
    id: "reasons", title: "Reasons", section: "failures", wide: true,
    build: ({ session: s }) => {
      const reasons = new Map();
      for (let i = 0; i < s.count; ++i) {
        if (s.trials.outcome[i] === 0) continue;
        const message = s.json.messages[s.trials.message?.[i] ?? -1] ?? "";
        const key = `${s.trials.outcome[i]}\n${message.split("\n")[0]}`;
        const found = reasons.get(key);
        if (found) found.count += 1;
        else reasons.set(key, { count: 1, i, message });
      }
      if (!reasons.size) return null;
      const list = [...reasons.values()].sort((a, b) => b.count - a.count);
      return {
        tableOpen: true, note: "By outcome and first line of the message; `warptune show --trial N` has all of one.",
        table: { columns: [{ title: "trials", number: true }, { title: "outcome" }, { title: "message" }, { title: "for example trial", number: true }, { title: "configuration" }],
          rows: list.map(({ count, i, message }) => [count, s.outcome(i), message || "–", s.trials.id[i], model.configurationText(s.configuration(i))]) },
      };
    },
  });
})();
